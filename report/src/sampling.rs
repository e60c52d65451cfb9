//! What part of the program was looked at, when it was not all of it.

use crate::modules::Modules;
use crate::records::RankRecords;
use crate::shape::{FunctionSampling, SamplingReport};
use crate::words::{count, grouped};
use std::collections::BTreeMap;
use thrille_model::job::Sampled;

/// Functions that the text lists: those that were executed most.
const LISTED: usize = 8;

/// All ranks together; none if everything was looked at.
pub fn sampling(ranks: &[RankRecords], modules: &mut Modules) -> Option<SamplingReport> {
    let all: Vec<&Sampled> = ranks.iter().filter_map(|rank| rank.sampled.as_ref()).collect();
    let first = all.first()?;
    let mut functions: BTreeMap<(String, Option<String>), FunctionSampling> = BTreeMap::new();
    for figures in all.iter().flat_map(|sampled| &sampled.functions) {
        let frames = modules.frames(figures.at);
        let Some(frame) = frames.last() else { continue };
        let name = frame.function.clone().unwrap_or_else(|| "?".into());
        let entry = functions.entry((name.clone(), frame.file.clone())).or_insert_with(|| FunctionSampling {
            function: name,
            file: frame.file.clone(),
            line: frame.line,
            ..FunctionSampling::default()
        });
        entry.calls += figures.calls;
        entry.calls_taken += figures.calls_taken;
        // The ranks run the same program: as many as the one that met most of it.
        entry.sites = entry.sites.max(figures.sites);
        entry.sites_taken = entry.sites_taken.max(figures.sites_taken);
        entry.executed += figures.executed;
        entry.taken += figures.taken;
    }
    let mut functions: Vec<FunctionSampling> = functions.into_values().collect();
    for function in &mut functions {
        // What was looked at was executed, also where nobody counted.
        function.executed = function.executed.max(function.taken);
    }
    functions.sort_by_key(|f| std::cmp::Reverse(f.executed));
    let (spent, elapsed) = all.iter().fold((0, 0), |sum, s| (sum.0 + s.spent_us, sum.1 + s.elapsed_us));
    let calls: u64 = all.iter().map(|s| s.calls_us).sum();
    let percent = |spent: u64, elapsed: u64| 100.0 * spent as f64 / elapsed.saturating_sub(spent).max(1) as f64;
    Some(SamplingReport {
        policy: first.policy.clone(),
        seed: first.seed,
        budget_percent: first.budget.map(|thousandths| f64::from(thousandths) / 10.0),
        cost_percent: first.budget.map(|_| percent(spent, elapsed)),
        calls_percent: first.budget.map(|_| percent(calls, elapsed)),
        sites: functions.iter().map(|f| u64::from(f.sites)).sum(),
        sites_taken: functions.iter().map(|f| u64::from(f.sites_taken)).sum(),
        executed: functions.iter().map(|f| f.executed).sum(),
        taken: functions.iter().map(|f| f.taken).sum(),
        functions,
    })
}

/// Lines of the text.
pub fn lines(sampling: &SamplingReport) -> Vec<String> {
    let used = match (sampling.budget_percent, sampling.cost_percent) {
        // In the first moments more is looked at than is left for.
        (Some(budget), Some(100.0..)) => format!(", budget {budget} %: more than 100 % used"),
        (Some(budget), Some(cost)) => format!(", budget {budget} %: {cost:.1} % used"),
        _ => String::new(),
    };
    let mut out = vec![format!("   sampling: {}, seed {}{used}", sampling.policy, sampling.seed)];
    if let (Some(budget), Some(calls)) = (sampling.budget_percent, sampling.calls_percent)
        && calls >= budget
    {
        out.push(format!(
            "   budget: what calls of the communication library order, which is always observed, took {calls:.1} %: of what they touch, and of loads and \
             stores, half of the budget was looked at; a budget above that, or --sampling full, looks at more"
        ));
    }
    if sampling.policy == "NL" {
        out.push("   coverage: calls only, no load or store was looked at; --sampling full looks at everything".into());
        return out;
    }
    out.push(format!(
        "   coverage: {} of {}, {} of {}; races among the others are not in this report, --sampling full looks at everything",
        grouped(sampling.sites_taken),
        count(sampling.sites, "site"),
        share(sampling.taken, sampling.executed),
        count(sampling.executed, "execution"),
    ));
    for f in sampling.functions.iter().take(LISTED) {
        out.push(format!(
            "      {:<20} {} of {}, {} of {}, {} of {}",
            f.function,
            grouped(f.calls_taken),
            count(f.calls, "call"),
            f.sites_taken,
            count(f.sites.into(), "site"),
            share(f.taken, f.executed),
            count(f.executed, "execution"),
        ));
    }
    if let Some(more) = sampling.functions.len().checked_sub(LISTED).filter(|&more| more > 0) {
        out.push(format!("      and {} more, in the report as JSON", count(more as u64, "function")));
    }
    out
}

/// A share with as many digits as it takes to see that it is not nothing.
fn share(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    match percent {
        p if p >= 10.0 || part == 0 => format!("{p:.0} %"),
        p if p >= 0.01 => format!("{p:.2} %"),
        p => format!("{p:.1e} %"),
    }
}
