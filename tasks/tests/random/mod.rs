//! Random programs, their task graphs, and which of their bytes are racy by the definition: two accesses conflict, no guard keeps them apart, and no
//! path of the graph leads from one to the other.

use proptest::prelude::*;
use std::collections::BTreeSet;
use thrille_model::Interval;
use thrille_tasks::{Access, AnyDetector, Atomicity, End, Event, Guard, Guards, Mode, SiteId, Strand, Touch};

/// What programs are made of.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Some bytes, a write or not, under which of the guards below.
    Access(u64, u64, bool, usize),
    Async(Vec<Statement>),
    /// A task that its creator waits for at once.
    Included(Vec<Statement>),
    Finish(Vec<Statement>),
    /// For the tasks that this one has created.
    Wait,
}

/// Which statements a kind of programs has.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// How many.
    pub guards: usize,
    /// Waits anywhere; otherwise only finish scopes.
    pub waits: bool,
    /// Every task ends with a wait: Cilk.
    pub strict: bool,
}

/// Programs of this kind.
pub fn program(language: Language) -> impl Strategy<Value = Vec<Statement>> {
    let access = (0u64..12, 1u64..4, any::<bool>(), 0..=language.guards)
        .prop_map(|(lo, len, write, guard)| Statement::Access(lo, len, write, guard));
    let leaf =
        if language.waits { prop_oneof![3 => access, 1 => Just(Statement::Wait)].boxed() } else { access.boxed() };
    let statement = leaf.prop_recursive(5, 40, 5, |inner| {
        let body = prop::collection::vec(inner, 0..5);
        prop_oneof![
            4 => body.clone().prop_map(Statement::Async),
            2 => body.clone().prop_map(Statement::Finish),
            1 => body.prop_map(Statement::Included),
        ]
    });
    prop::collection::vec(statement, 0..7)
}

/// A node of the task graph: what comes before it, and an access or nothing.
struct Node {
    before: Vec<bool>,
    access: Option<Access>,
}

/// The serial run: tells the detectors, and draws the graph.
pub struct Run<'a> {
    language: Language,
    guards: &'a Guards,
    names: &'a [Guard],
    nodes: Vec<Node>,
    /// The last node of the task that runs.
    now: usize,
    /// By finish scope that is open: the last nodes of the tasks that it waits for.
    scopes: Vec<Vec<usize>>,
    /// By running task: the last nodes of its children.
    children: Vec<Vec<usize>>,
    /// Those that are told, and the bytes that they report.
    pub detectors: Vec<(Mode, AnyDetector, Strand, BTreeSet<u64>)>,
    sites: u32,
}

impl<'a> Run<'a> {
    /// Runs a program, to its last wait.
    pub fn new(language: Language, guards: &'a Guards, names: &'a [Guard], modes: &[Mode], body: &[Statement]) -> Self {
        let detector = |&mode: &Mode| (mode, AnyDetector::new(mode), Strand::default(), BTreeSet::new());
        let mut run = Run {
            language,
            guards,
            names,
            nodes: Vec::new(),
            now: 0,
            scopes: vec![Vec::new()],
            children: vec![Vec::new()],
            detectors: modes.iter().map(detector).collect(),
            sites: 0,
        };
        run.node([], None);
        run.body(body);
        run.wait();
        for (_, detector, strand, found) in &mut run.detectors {
            strand.end(detector, guards, &mut |race| found.extend(race.bytes.lo()..race.bytes.hi()));
        }
        run
    }

    fn node(&mut self, after: impl IntoIterator<Item = usize>, access: Option<Access>) {
        let mut before = vec![false; self.nodes.len()];
        for edge in after.into_iter().chain((!self.nodes.is_empty()).then_some(self.now)) {
            before[edge] = true;
            for (node, &is_before) in self.nodes[edge].before.iter().enumerate() {
                before[node] |= is_before;
            }
        }
        self.now = self.nodes.len();
        self.nodes.push(Node { before, access });
    }

    fn tell(&mut self, event: Event) {
        for (_, detector, strand, found) in &mut self.detectors {
            if !detector.stays(event) {
                strand.end(detector, self.guards, &mut |race| found.extend(race.bytes.lo()..race.bytes.hi()));
            }
            detector.step(event).expect("well nested");
        }
    }

    fn touch(&mut self, access: Access) {
        self.node([], Some(access));
        for (mode, detector, strand, found) in &mut self.detectors {
            if *mode == Mode::Vanilla {
                detector.access(self.guards, &access, &mut |race| found.extend(race.bytes.lo()..race.bytes.hi()));
            } else {
                strand.add(access);
            }
        }
    }

    fn wait(&mut self) {
        self.tell(Event::Wait);
        let children = std::mem::take(self.children.last_mut().expect("a task"));
        self.node(children, None);
    }

    fn body(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                &Statement::Access(lo, len, write, guard) => {
                    self.sites += 1;
                    self.touch(Access {
                        at: Interval::from_len(lo, len).expect("bytes"),
                        touch: if write { Touch::Write } else { Touch::Read },
                        guard: self.names[guard],
                        site: SiteId(self.sites),
                    });
                }
                Statement::Async(body) => self.task(body, End::Parallel),
                Statement::Included(body) => self.task(body, End::Included),
                Statement::Finish(body) => {
                    self.tell(Event::BeginFinish);
                    self.scopes.push(Vec::new());
                    self.body(body);
                    let all = self.scopes.pop().expect("begun");
                    self.tell(Event::EndFinish);
                    self.node(all, None);
                }
                Statement::Wait => self.wait(),
            }
        }
    }

    fn task(&mut self, body: &[Statement], how: End) {
        let creator = self.now;
        self.tell(Event::Spawn);
        self.children.push(Vec::new());
        self.node([], None);
        self.body(body);
        if self.language.strict {
            self.wait();
        }
        self.children.pop();
        self.tell(Event::End(how));
        let last = self.now;
        self.scopes.last_mut().expect("main").push(last);
        self.now = creator;
        match how {
            End::Parallel => self.children.last_mut().expect("creator").push(last),
            End::Included => self.node([last], None),
        }
    }

    /// By the definition.
    pub fn racy(&self) -> BTreeSet<u64> {
        let mut racy = BTreeSet::new();
        for (later, node) in self.nodes.iter().enumerate() {
            for earlier in (0..later).filter(|&earlier| !node.before[earlier]) {
                if let (Some(a), Some(b)) = (self.nodes[earlier].access, node.access)
                    && (a.touch == Touch::Write || b.touch == Touch::Write)
                    && !self.guards.exclude(a.guard, b.guard)
                    && let Some(both) = a.at.intersection(b.at)
                {
                    racy.extend(both.lo()..both.hi());
                }
            }
        }
        racy
    }
}

/// The guards that accesses of random programs have.
pub fn guards() -> (Guards, [Guard; 5]) {
    let mut guards = Guards::default();
    let (a, b) = (guards.of([2], None), guards.of([4], None));
    let names = [Guard::NONE, a, b, guards.of([4, 2], None), guards.of([], Some(Atomicity(1)))];
    (guards, names)
}
