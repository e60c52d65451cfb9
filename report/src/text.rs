//! The report for a terminal.

use crate::shape::{Frame, ObjectReport, RaceReport, Report, SideReport, Summary};
use crate::words::{count, grouped, list, ranks};
use std::fmt::Write;

/// Whether to use the terminal's colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// With escape sequences.
    Always,
}

/// What a colour stands for.
#[derive(Clone, Copy)]
pub enum Ink {
    Bad,
    Good,
    Place,
    Faint,
    Warn,
}

impl Colour {
    /// A text in a colour.
    pub fn paint(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            _ if self == Self::Never => return text.into(),
            Ink::Bad => "1;31",
            Ink::Good => "1;32",
            Ink::Place => "36",
            Ink::Faint => "2",
            Ink::Warn => "33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// The whole report.
pub fn text(report: &Report, colour: Colour) -> String {
    let mut out = String::new();
    for item in &report.races {
        race(&mut out, item, colour);
        out.push('\n');
    }
    out += &verdict(report, colour);
    out.push('\n');
    figures(&mut out, &report.summary);
    for suppressed in &report.suppressed {
        let (race, by, reason) = (&suppressed.race, &suppressed.by, &suppressed.reason);
        line(&mut out, &format!("   suppressed: {} {} (by {by}: {reason})", race.id, race.title));
    }
    for gone in report.baseline.iter().flat_map(|baseline| &baseline.gone) {
        line(&mut out, &format!("   gone: {} {}", gone.id, gone.title));
    }
    for words in report.sampling.iter().flat_map(crate::sampling::lines) {
        line(&mut out, &words);
    }
    for note in &report.notes {
        line(&mut out, &format!("{} {note}", colour.paint(Ink::Warn, "note:")));
    }
    if let Some((what, how)) = failure(report) {
        line(&mut out, &format!("{} {how}", colour.paint(Ink::Bad, what)));
    }
    out
}

/// One race, without colours.
pub fn one(item: &RaceReport) -> String {
    let mut out = String::new();
    race(&mut out, item, Colour::Never);
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

fn race(out: &mut String, race: &RaceReport, colour: Colour) {
    let number = colour.paint(Ink::Bad, &format!("race {}:", race.number));
    line(out, &format!("{number} {}", race.title));
    line(out, &format!("   memory: {}", object(&race.object)));
    side(out, "a", &race.a, colour);
    side(out, "b", &race.b, colour);
    line(out, &format!("   why: {}", race.why.text));
    for hint in &race.why.hints {
        line(out, &format!("   hint: {hint}"));
    }
    if let Some(fix) = &race.why.fix {
        line(out, &format!("   fix: {}", fix.text));
    }
    line(out, &format!("   seen {}; id {}", count(race.seen, "time"), race.id));
    if let Some(found) = &race.confirmation {
        let ink = if race.confirmed() { Ink::Bad } else { Ink::Warn };
        line(out, &format!("   {}", colour.paint(ink, &found.text)));
        if let Some(witness) = &found.witness {
            line(out, &format!("   witness: {witness}"));
        }
        if let Some(command) = &found.replay {
            line(out, &format!("   reproduce: {command}"));
        }
    }
}

/// What a race is, in a line.
pub fn title(a: &SideReport, b: &SideReport, object: &ObjectReport) -> String {
    format!("{} and {}", headline(a, object), headline(b, object))
}

fn headline(side: &SideReport, object: &ObjectReport) -> String {
    let far = match side.act.as_ref() {
        "put" | "remote_atomic" | "signal" => Some("to"),
        "get" => Some("from"),
        _ => None,
    };
    let thing = side.what.split([',']).next().unwrap_or_default();
    let thing = thing.split(" of ").next().unwrap_or_default();
    let thing = match far {
        Some(word) => format!("{thing} {word} rank {}", object.owner),
        None => thing.into(),
    };
    match &side.call {
        Some(call) => format!("{call} ({thing}) at {}", place(&side.at)),
        None => format!("{thing} at {}", place(&side.at)),
    }
}

/// The memory, in words.
pub fn object(object: &ObjectReport) -> String {
    let range = format!("bytes [{}, {})", object.bytes.first, object.bytes.end);
    let others: Vec<u32> = object.owners.iter().copied().filter(|&rank| rank != object.owner).collect();
    let of = match others.as_slice() {
        [] => format!("of rank {}", object.owner),
        others => format!("of rank {} (also of {})", object.owner, ranks(others)),
    };
    let plus = match object.bytes.first {
        0 => String::new(),
        offset => format!(" + {offset}"),
    };
    let size = object.size.map_or_else(String::new, |size| count(size, "byte"));
    match (object.segment.as_ref(), &object.name, &object.allocation) {
        ("private", None, _) => {
            format!("private memory {of}, {}", count(object.bytes.end - object.bytes.first, "byte"))
        }
        (_, Some(name), _) => format!("`{name}`{plus} (static, {size}) {of}, {range}"),
        (_, None, Some(allocation)) => {
            let (number, at) = (allocation.number, place(&allocation.at));
            let function = allocation.at.function.as_ref().map_or_else(String::new, |f| format!(" in {f}"));
            let what = if object.segment == "window" { "window" } else { "symmetric heap, allocation" };
            let made = if object.segment == "window" { "made" } else { "allocated" };
            format!("{what} {number}{plus} ({size}, {made} at {at}{function}) {of}, {range}")
        }
        ("window", ..) => format!("window {}{plus} {of}, {range}", object.window.unwrap_or_default()),
        ("heap", ..) => format!("symmetric heap{plus} {of}, {range}"),
        _ => format!("static data{plus} {of}, {range}"),
    }
}

fn side(out: &mut String, name: &str, side: &SideReport, colour: Colour) {
    let others: Vec<u32> = side.ranks.iter().copied().filter(|&rank| rank != side.rank).collect();
    let mut who = format!("rank {}", side.rank);
    if side.thread != 0 {
        let _ = write!(who, ", {} {}", if side.task { "task" } else { "thread" }, side.thread);
    }
    if !others.is_empty() {
        let on = if side.thread == 0 { "" } else { "on " };
        let _ = write!(who, " (also {on}{})", list(&others));
    }
    let function = side.at.function.as_deref().unwrap_or("?");
    let at = colour.paint(Ink::Place, &place(&side.at));
    line(out, &format!("   {name}  {who:<18} {:<23} {function:<15} {at}", side.what));
    if let (Some(source), Some(number)) = (&side.at.source, side.at.line) {
        line(out, &colour.paint(Ink::Faint, &format!("      {number:>6} | {source}")));
    }
    for (depth, frame) in side.stack.iter().enumerate() {
        let inner = depth.checked_sub(1).map_or(&side.at, |inner| &side.stack[inner]);
        let how = if inner.inlined { "inlined into" } else { "called from" };
        let function = frame.function.as_deref().unwrap_or("?");
        line(out, &format!("      {how} {function} {}", colour.paint(Ink::Place, &place(frame))));
    }
    for lock in &side.locks {
        line(out, &format!("      holding {} ({})", lock.name, lock.mode));
    }
}

/// `file:line:column`, or as much as is known.
pub fn place(frame: &Frame) -> String {
    match (&frame.file, frame.line, frame.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(file), Some(line), None) => format!("{file}:{line}"),
        _ => format!("{}+{:#x}", frame.module.rsplit('/').next().unwrap_or_default(), frame.offset),
    }
}

fn verdict(report: &Report, colour: Colour) -> String {
    let races = report.summary.races;
    if let (Some(baseline), true) = (&report.baseline, races > 0) {
        let ink = if baseline.new.is_empty() { Ink::Good } else { Ink::Bad };
        let text = format!("{} found, {} new", count(races as u64, "race"), baseline.new.len());
        return format!("{} (compared with {})", colour.paint(ink, &text), baseline.file);
    }
    if races > 0 {
        let looked_for = report.races.iter().any(|race| race.confirmation.is_some());
        let confirmed = if looked_for { format!(", {} confirmed", report.summary.confirmed) } else { String::new() };
        return colour.paint(Ink::Bad, &format!("{} found{confirmed}", count(races as u64, "race")));
    }
    if report.summary.ranks_observed == 0 {
        // Whoever could not observe has said why.
        if report.notes.iter().any(|note| note.contains("not observed") || note.contains("nothing is observed")) {
            return colour.paint(Ink::Warn, "nothing was observed: see the notes");
        }
        let what = "not instrumented or never initialised: nothing was observed";
        let init = crate::api::init(None);
        return format!(
            "{}; build it with `thrille cc` or `thrille check`, and call {init}",
            colour.paint(Ink::Warn, what)
        );
    }
    colour.paint(Ink::Good, "no races found")
}

fn figures(out: &mut String, s: &Summary) {
    if s.ranks_observed == 0 {
        return;
    }
    let threads = if s.threads > u64::from(s.ranks_observed) {
        format!(", {}", count(s.threads, "thread"))
    } else {
        String::new()
    };
    line(out, &format!("   {}{threads}, {}", count(u64::from(s.ranks), "rank"), count(s.phases, "phase")));
    line(
        out,
        &format!(
            "   accesses: {} executed, {} to shared memory observed, {} recorded, {} dropped",
            grouped(s.executed),
            grouped(s.observed),
            grouped(s.recorded),
            grouped(s.dropped)
        ),
    );
    let beside = (s.beside_seconds > 0.0).then(|| format!(", {:.3} s beside the program", s.beside_seconds));
    let analysis = format!("{:.3} s in {}", s.analysis_seconds, count(s.exchanges, "exchange"));
    line(out, &format!("   analysis: {analysis}{}", beside.unwrap_or_default()));
}

/// What went wrong with the program, and how.
pub fn failure(report: &Report) -> Option<(&'static str, String)> {
    let run = report.run.as_ref()?;
    if let Some(signal) = &run.interrupted {
        return Some(("program stopped:", format!("by {signal}; this is what was found until then")));
    }
    if run.exits.is_none() {
        return Some(("end unknown:", "the launcher was killed, or the program still runs".into()));
    }
    let failures = run.failures();
    let (first, rest) = failures.split_first()?;
    let how = match rest {
        [] => first.to_string(),
        rest if rest.len() <= 3 => {
            let words: Vec<String> = rest.iter().map(ToString::to_string).collect();
            format!("{first}; then {}", words.join(", "))
        }
        rest => format!("{first}; then {} failed too or were ended", count(rest.len() as u64, "other rank")),
    };
    Some(("program failed:", how))
}
