//! Reports with as many races as a test wants, of all kinds.

use std::path::PathBuf;
use thrille_report::{
    Bytes, ConfirmationReport, FixReport, Frame, FunctionSampling, LockReport, ObjectReport, PairReport, PhaseRange,
    RaceReport, Report, RunInfo, SamplingReport, SideReport, Summary, SyncReport, TrafficReport, WhyReport,
};

const RANKS: u32 = 8;

fn frame(file: usize, line: u32, column: u32, function: &str, source: &str) -> Frame {
    Frame {
        file: Some(format!("src/solver_{file}.c")),
        path: Some(format!("/home/u/project/src/solver_{file}.c")),
        line: Some(line),
        column: Some(column),
        function: Some(function.into()),
        source: Some(source.into()),
        module: "/home/u/project/solver".into(),
        offset: u64::from(line) * 16,
        inlined: false,
    }
}

fn side(n: usize, act: &'static str, what: &str, at: Frame) -> SideReport {
    let rank = (n as u32) % RANKS;
    SideReport {
        rank,
        thread: u32::from(n.is_multiple_of(11)),
        task: false,
        ranks: vec![rank, (rank + 1) % RANKS, (rank + 2) % RANKS]
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect(),
        act: act.into(),
        kind: if act == "load" { "read".into() } else { "write".into() },
        call: (act == "put").then(|| "shmem_double_put".into()),
        what: what.into(),
        bytes: Bytes { first: 8, end: 16 },
        phases: PhaseRange { first: n as u64 % 7, last: (!n.is_multiple_of(5)).then_some(n as u64 % 7) },
        context: (act == "put").then_some(0),
        locks: if n.is_multiple_of(9) {
            vec![LockReport { name: "lock `guard`".into(), mode: "exclusive".into() }]
        } else {
            Vec::new()
        },
        times: 1 + n as u32 % 1000,
        stack: vec![
            frame(n % 40, 300, 5, "advance", "    exchange(grid, left, right);"),
            frame(0, 12, 3, "main", "  advance(grid);"),
        ],
        at,
    }
}

fn race(n: usize) -> RaceReport {
    let (file, line) = (n % 40, 20 + (n / 40) as u32);
    let put = "        shmem_double_put(&halo[CELLS + 1], &edge[1], 1, left);";
    let load = "            next[i] = (heat[i - 1] + heat[i] + heat[i + 1]) / 3;";
    let a = side(n, "put", "put, 8 bytes", frame(file, line, 9, "exchange", put));
    let b = if n.is_multiple_of(3) {
        side(n + 1, "store", "store of 8 bytes", frame(file, line + 30, 13, "relax", load))
    } else {
        side(n + 1, "load", "load of 800 bytes", frame(file, line + 30, 52, "relax", load))
    };
    let (kind, pattern) = [
        ("unsynchronised", "missing_synchronisation"),
        ("incomplete", "missing_completion"),
        ("wrong_context", "wrong_completion"),
        ("unsynchronised", "no_common_lock"),
    ][n % 4];
    let fix = (n % 4 == 1).then(|| FixReport {
        text: format!(
            "call `shmem_quiet()` after src/solver_{file}.c:{line}, before the synchronisation that leads to b"
        ),
        call: "shmem_quiet()".into(),
        file: Some(format!("src/solver_{file}.c")),
        line: Some(line),
        instead_of: None,
    });
    RaceReport {
        number: n + 1,
        id: format!("{n:010x}"),
        title: format!(
            "shmem_double_put (put to rank 1) at src/solver_{file}.c:{line}:9 and {} at src/solver_{file}.c:{}:52",
            b.act,
            line + 30
        ),
        object: ObjectReport {
            owner: 1,
            owners: vec![1, 2],
            segment: "static".into(),
            segment_offset: 8,
            name: Some(["heat", "halo", "pressure", "velocity", "flags"][n % 5].into()),
            size: Some(816),
            bytes: Bytes { first: 808, end: 816 },
            allocation: None,
            window: None,
        },
        why: WhyReport {
            kind: kind.into(),
            pattern: pattern.into(),
            text: "nothing orders them: both fall into phase 3 and no synchronisation leads from one to the other"
                .into(),
            hints: vec![
                "what would help: a shmem_barrier_all between the two, a signal, or one lock around both".into(),
            ],
            fix,
        },
        around: around(file, line),
        a,
        b,
        seen: 17 * n as u64 + 1,
        records: Vec::new(),
        polled: false,
        confirmation: (n % 4 == 2).then(|| ConfirmationReport {
            verdict: "changes_result".into(),
            text: "both sides were there at the same time, and the order changes what the program prints".into(),
            witness: Some("rank 1 waited at a while rank 2 came to b".into()),
            unlikely: false,
            tries: 1,
            schedule: None,
            replay: Some(format!("thrille confirm --replay {n}")),
            a_stack: Vec::new(),
            b_stack: Vec::new(),
        }),
    }
}

/// A message that leaves too early, one that comes too late, and a barrier behind both.
fn around(file: usize, line: u32) -> Vec<SyncReport> {
    let sync = |side: &'static str, when: &'static str, kind: &'static str, call: &str, at: u32, leads_to: &[usize]| {
        SyncReport {
            side: side.into(),
            when: when.into(),
            kind: kind.into(),
            text: if kind == "barrier" { "global barrier 4".into() } else { format!("{kind} of `flag`") },
            call: Some(call.into()),
            at: Some(frame(file, line + at, 5, "step", &format!("    {call}();"))),
            leads_to: leads_to.into(),
            but: (!leads_to.is_empty())
                .then(|| "leaves before a: it would order them if it came between the two".into()),
        }
    };
    vec![
        sync("a", "before", "release", "shmem_long_p", 3, &[4]),
        sync("a", "after", "complete", "shmem_ctx_quiet", 5, &[]),
        sync("a", "after", "release", "shmem_long_atomic_inc", 7, &[5]),
        sync("a", "after", "barrier", "shmem_barrier_all", 9, &[]),
        sync("b", "before", "acquire", "shmem_long_wait_until", 20, &[]),
        sync("b", "after", "acquire", "shmem_long_wait_until", 40, &[]),
        sync("b", "after", "barrier", "shmem_barrier_all", 9, &[]),
    ]
}

/// A report of so many races.
pub fn report_of(races: usize) -> Report {
    let neighbours = (0..RANKS).flat_map(|rank| [(rank, (rank + 1) % RANKS), ((rank + 1) % RANKS, rank)]);
    Report {
        version: 1,
        tool: "0.1.0".into(),
        run: Some(RunInfo {
            command: vec!["./many".into(), "--size".into(), "100".into()],
            invocation: ["thrille", "check", "many.c", "-n", "8"].map(Into::into).into(),
            directory: PathBuf::from("/home/u/project").display().to_string(),
            ranks: RANKS,
            started: "2026-11-16T12:00:00Z".into(),
            elapsed_seconds: Some(12.5),
            exits: Some(Vec::new()),
            ..RunInfo::default()
        }),
        summary: Summary {
            races,
            api: Some("openshmem".into()),
            ranks: RANKS,
            ranks_observed: RANKS,
            ranks_finished: RANKS,
            phases: 340,
            executed: 123_456_789,
            observed: 4_567_890,
            recorded: 56_789,
            dropped: 1234,
            exchanges: 12,
            analysis_seconds: 0.734,
            communication_seconds: 0.2,
            communication_cpu_seconds: 0.1,
            threads: 8,
            ..Summary::default()
        },
        sampling: Some(SamplingReport {
            policy: "HA.5".into(),
            seed: 7,
            budget_percent: Some(5.0),
            cost_percent: Some(4.3),
            calls_percent: Some(1.2),
            sites: 120,
            sites_taken: 97,
            executed: 123_456_789,
            taken: 1_234_567,
            functions: vec![FunctionSampling {
                function: "relax".into(),
                file: Some("src/solver_0.c".into()),
                line: Some(50),
                calls: 340,
                calls_taken: 17,
                sites: 14,
                sites_taken: 14,
                executed: 100_000_000,
                taken: 1_000_000,
            }],
        }),
        races: (0..races).map(race).collect(),
        pairs: neighbours.clone().step_by(3).map(|(a, b)| PairReport { a, b, races: 3, seen: 99 }).collect(),
        traffic: neighbours.map(|(from, to)| TrafficReport { from, to, operations: 100, bytes: 8 << (from + to) }).collect(),
        notes: vec!["1,234 of 4,567,890 accesses to shared memory (0.0 %) were dropped because a rank's limit on records was reached".into()],
        ..Report::default()
    }
}
