//! Which lines of a strand touched which bytes: asked when two strands race, kept as long as the detector remembers any byte of the strand.
//!
//! The detector knows a strand's bytes without their lines ([`crate::footprint`]). In place of a line it is given the number of a trail: the strand's log.
//! A strand of one line needs none.
//!
//! Where others look at strands while the program goes on ([`crate::crew`]), a log may be given up that has been looked at and was remembered nowhere since then: candidates are named first, then
//! everybody says what it remembers.

use crate::footprint::Item;
use thrille_model::Interval;
use thrille_tasks::{Race, SiteId, Touch};

/// Numbers from here on are trails, below are lines.
const TRAILS: u32 = 1 << 31;

/// Items that are kept before it is asked what is still needed.
const KEPT: usize = 1 << 16;

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    from: u32,
    len: u32,
    state: State,
}

/// How a log comes to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// There is none of this number.
    #[default]
    Free,
    /// Its strand has not been looked at.
    New,
    /// It has been.
    LookedAt,
    /// It is given up unless somebody says otherwise.
    Candidate,
}

/// All trails that are kept. Items name their lines here.
#[derive(Debug, Default)]
pub struct Trails {
    items: Vec<Item>,
    spans: Vec<Span>,
    free: Vec<u32>,
    /// Items and trails at which it is asked next.
    next: usize,
}

impl Trails {
    /// Keeps the log of a strand, in which `name` gives the lines: what stands for it.
    pub fn add(&mut self, items: &[Item], mut name: impl FnMut(u32) -> SiteId) -> Option<SiteId> {
        let (first, others) = items.split_first()?;
        let only = name(first.place);
        if others.iter().all(|item| item.place == first.place) {
            return Some(only);
        }
        let (from, len) = (u32::try_from(self.items.len()).ok()?, u32::try_from(items.len()).ok()?);
        let span = Span { from, len, state: State::New };
        self.items.extend(items.iter().map(|item| Item { place: name(item.place).0, ..*item }));
        let number = self.free.pop().unwrap_or_else(|| {
            self.spans.push(Span::default());
            self.spans.len() as u32 - 1
        });
        self.spans[number as usize] = span;
        Some(SiteId(TRAILS | number))
    }

    /// How many items are kept.
    pub fn items(&self) -> usize {
        self.items.len()
    }

    /// Whether it is time to ask what is still needed.
    pub fn is_full(&self) -> bool {
        self.items.len() + self.spans.len() - self.free.len() > self.next.max(KEPT)
    }

    /// The strand of this log has been looked at.
    pub fn looked_at(&mut self, site: SiteId) {
        if let Some(span) = self.span(site) {
            span.state = State::LookedAt;
        }
    }

    fn span(&mut self, site: SiteId) -> Option<&mut Span> {
        self.spans.get_mut(site.0.checked_sub(TRAILS)? as usize)
    }

    /// What has been looked at will be given up, unless it is [`Trails::needed`].
    pub fn begin_sweep(&mut self) {
        for span in self.spans.iter_mut().filter(|span| span.state == State::LookedAt) {
            span.state = State::Candidate;
        }
        // Not again before this one has ended.
        self.next = usize::MAX;
    }

    /// Somebody remembers something of this strand.
    pub fn needed(&mut self, site: SiteId) {
        if let Some(span) = self.span(site).filter(|span| span.state == State::Candidate) {
            span.state = State::LookedAt;
        }
    }

    /// All have said what they remember.
    pub fn end_sweep(&mut self) {
        self.free.clear();
        for (number, span) in (0..).zip(&mut self.spans) {
            if span.state == State::Candidate {
                span.state = State::Free;
            }
            if span.state == State::Free {
                self.free.push(number);
            }
        }
        // Spans were made in this order of their items, but for numbers that are used again.
        let kept = |&number: &u32| self.spans[number as usize].state != State::Free;
        let mut order: Vec<u32> = (0..self.spans.len() as u32).filter(kept).collect();
        order.sort_unstable_by_key(|&number| self.spans[number as usize].from);
        let mut kept = 0;
        for number in order {
            let span = &mut self.spans[number as usize];
            let (from, len) = (span.from as usize, span.len as usize);
            self.items.copy_within(from..from + len, kept);
            span.from = kept as u32;
            kept += len;
        }
        self.items.truncate(kept);
        let kept = self.items.len() + self.spans.len() - self.free.len();
        self.next = kept + kept / 2;
    }

    /// Keeps what `needed` names, and forgets the rest of what has been looked at.
    pub fn retain(&mut self, needed: impl FnOnce(&mut dyn FnMut(SiteId))) {
        self.begin_sweep();
        needed(&mut |site| self.needed(site));
        self.end_sweep();
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.free.clear();
        self.next = 0;
        if self.items.capacity() > KEPT { self.items = Vec::new() } else { self.items.clear() }
    }

    /// The lines that touched bytes of `at` in this way; `writes` says how a line touches.
    fn lines<'a>(
        &'a self,
        site: SiteId,
        at: Interval,
        touch: Touch,
        writes: &'a impl Fn(SiteId) -> bool,
    ) -> impl Iterator<Item = Item> + 'a {
        let all = |span: Span| &self.items[span.from as usize..(span.from + span.len) as usize];
        let number = site.0.checked_sub(TRAILS);
        let span = number.and_then(|number| self.spans.get(number as usize).copied()).unwrap_or_default();
        let one = number.is_none().then(|| Item { place: site.0, ..Item::bytes(at.lo(), at.len()) });
        let alike = move |item: &&Item| {
            item.lo < at.hi() && at.lo() < item.hi() && writes(SiteId(item.place)) == (touch == Touch::Write)
        };
        one.into_iter().chain(all(span).iter().filter(alike).copied())
    }

    /// Calls `tell` with the race once for each pair of its lines: of those that `known` does not know, only if they touch the same bytes.
    pub fn pairs(
        &self,
        race: &Race,
        writes: impl Fn(SiteId) -> bool,
        mut known: impl FnMut(SiteId, SiteId) -> bool,
        mut tell: impl FnMut(&Race),
    ) {
        let at = race.bytes;
        for one in self.lines(race.earlier.site, at, race.earlier.touch, &writes) {
            for other in self.lines(race.later.site, at, race.later.touch, &writes) {
                let (earlier, later) = (SiteId(one.place), SiteId(other.place));
                let mut race = Race { ..*race };
                (race.earlier.site, race.later.site) = (earlier, later);
                if known(earlier, later) {
                    tell(&race);
                } else if let Some(bytes) = one.within(at).find_map(|part| other.within(part).next()) {
                    tell(&Race { bytes, ..race });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thrille_tasks::{Guard, Mark, Side};

    fn item(lo: u64, place: u32) -> Item {
        Item { lo, len: 8, stride: 0, count: 1, place }
    }

    fn at(lo: u64, hi: u64) -> Interval {
        Interval::from_bounds(lo, hi).expect("bytes")
    }

    /// Lines that end in 1 write, others read.
    fn writes(line: SiteId) -> bool {
        line.0 % 10 == 1
    }

    fn lines(trails: &Trails, site: SiteId, bytes: Interval, touch: Touch) -> Vec<(u32, u64, u64)> {
        let all = trails.lines(site, bytes, touch, &writes);
        all.flat_map(|item| item.within(bytes).map(move |at| (item.place, at.lo(), at.hi()))).collect()
    }

    #[test]
    fn lines_of_the_bytes_that_are_asked_for() {
        let mut trails = Trails::default();
        let rows = Item { stride: 32, count: 4, ..item(100, 2) };
        let one = trails.add(&[item(0, 0), item(8, 1), rows], |place| SiteId(place + 10)).expect("a trail");
        let only = trails.add(&[item(0, 7), item(50, 7)], SiteId).expect("a line");
        assert_eq!(only, SiteId(7));
        assert_eq!(lines(&trails, only, at(50, 52), Touch::Read), [(7, 50, 52)]);
        assert_eq!(lines(&trails, one, at(0, 16), Touch::Read), [(10, 0, 8)]);
        assert_eq!(lines(&trails, one, at(4, 12), Touch::Write), [(11, 8, 12)]);
        assert_eq!(lines(&trails, one, at(135, 166), Touch::Read), [(12, 135, 140), (12, 164, 166)]);
        assert_eq!(trails.add(&[], SiteId), None);
    }

    #[test]
    fn what_is_needed_keeps_its_number() {
        let mut trails = Trails::default();
        let mut all = Vec::new();
        for turn in 0..100 {
            all.push(trails.add(&[item(turn, 2), item(turn + 8, 11)], SiteId).expect("a trail"));
        }
        trails.retain(|_| {});
        assert_eq!(trails.items(), 200, "not looked at");
        for &site in &all {
            trails.looked_at(site);
        }
        trails.retain(|need| all.iter().step_by(3).for_each(|&site| need(site)));
        for turn in (0..100_u64).step_by(3) {
            assert_eq!(lines(&trails, all[turn as usize], at(0, 200), Touch::Read), [(2, turn, turn + 8)]);
        }
        let again = trails.add(&[item(900, 2), item(908, 11)], SiteId).expect("a trail");
        assert!(all.contains(&again), "numbers are used again");
        assert_eq!(lines(&trails, again, at(0, 2000), Touch::Write), [(11, 908, 916)]);
        trails.clear();
        assert!(lines(&trails, again, at(0, 2000), Touch::Write).is_empty());
    }
    #[test]
    fn only_lines_that_meet_are_a_pair() {
        let mut trails = Trails::default();
        // Two fields of many structures.
        let fields = [Item { stride: 16, count: 9, ..item(0, 1) }, Item { stride: 16, count: 9, ..item(8, 11) }];
        let both = trails.add(&fields, SiteId).expect("a trail");
        let reads = [Item { stride: 16, count: 9, ..item(8, 2) }, item(500, 3)];
        let one = trails.add(&reads, SiteId).expect("a trail");
        let side = |site, touch| Side { mark: Mark(0), touch, guard: Guard::NONE, site };
        let race = Race { bytes: at(0, 140), earlier: side(both, Touch::Write), later: side(one, Touch::Read) };
        let mut found = Vec::new();
        trails.pairs(
            &race,
            writes,
            |_, _| false,
            |race| found.push((race.earlier.site.0, race.later.site.0, race.bytes)),
        );
        assert_eq!(found, [(11, 2, at(8, 16))]);
    }
}
