//! What counts: suppressions, comments, baselines; and reports that were damaged on their way.

use super::everything;
use crate::shape::Report;
use crate::suppress::Suppressions;
use crate::text::Colour;

fn suppressions(text: &str) -> Suppressions {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("thrille.supp.toml");
    std::fs::write(&file, text).unwrap();
    Suppressions::read(&file).unwrap()
}

/// How many races are left.
fn left(text: &str) -> usize {
    let mut report = everything();
    report.suppress(&suppressions(text), "2026-11-16");
    assert_eq!(report.races.len() + report.suppressed.len(), 6);
    assert_eq!(report.summary.races, report.races.len());
    report.races.len()
}

#[test]
fn each_condition_matches_what_it_says() {
    let entry = |condition: &str| left(&format!("[[suppress]]\nreason = \"x\"\n{condition}\n"));
    let all = everything();
    let with =
        |holds: &dyn Fn(&crate::shape::RaceReport) -> bool| 6 - all.races.iter().filter(|race| holds(race)).count();
    assert_eq!(entry("file = \"ring.c\""), 0);
    assert_eq!(entry("file = \"*.f90\""), 6);
    assert_eq!(entry("file = \"u/ring.c\""), 0, "any tail of the path");
    let ready = |race: &crate::shape::RaceReport| {
        [&race.a, &race.b].iter().any(|side| side.at.function.as_deref() == Some("ready"))
    };
    assert_eq!(entry("function = \"rea*\""), with(&ready));
    assert_eq!(entry("object = \"flag\""), with(&|race| race.object.name.as_deref() == Some("flag")));
    let other = |race: &crate::shape::RaceReport| {
        race.a.at.module.contains("libother") || race.b.at.module.contains("libother")
    };
    assert_eq!(entry("module = \"libother.so\""), with(&other));
    assert_eq!(entry("kind = \"hand_made_signal\""), with(&|race| race.why.pattern == "hand_made_signal"));
    assert_eq!(entry(&format!("id = \"{}\"", all.races[3].id)), 5);
    let pair = "pair = [{ function = \"main\" }, { function = \"exchange\" }]";
    let both = |race: &crate::shape::RaceReport| {
        let names = [race.a.at.function.as_deref(), race.b.at.function.as_deref()];
        names.contains(&Some("main")) && names.contains(&Some("exchange"))
    };
    assert!(entry(pair) < 6);
    assert_eq!(entry(pair), with(&both));
    assert_eq!(entry("file = \"ring.c\"\nobject = \"flag\""), entry("object = \"flag\""), "all conditions must hold");
}

#[test]
fn expired_and_unused_ones_are_told() {
    let mut report = everything();
    let text = "[[suppress]]\nreason = \"old\"\nexpires = 2026-11-16\nfile = \"ring.c\"\n\n[[suppress]]\nreason = \"typo\"\nobject = \"tabel\"\n";
    report.suppress(&suppressions(text), "2026-11-16");
    assert_eq!(report.races.len(), 6);
    let notes = report.notes.join("\n");
    assert!(notes.contains("thrille.supp.toml:1 (\"old\") expired on 2026-11-16"), "{notes}");
    assert!(notes.contains("thrille.supp.toml:6 (\"typo\") matched no race"), "{notes}");
    assert_eq!(left("[[suppress]]\nreason = \"x\"\nexpires = \"2026-11-17\"\nfile = \"ring.c\"\n"), 0);
}

#[test]
fn a_comment_at_either_line_is_enough_and_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ring.c");
    let lines: Vec<&str> =
        (1..40).map(|line| if line == 18 { "put(); /* thrille: benign, a hint only */" } else { "x;" }).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let mut report = everything();
    for race in &mut report.races {
        for at in [&mut race.a.at, &mut race.b.at] {
            at.path = at.path.as_ref().map(|_| path.display().to_string());
        }
    }
    let there = report.races.iter().filter(|race| race.a.at.line == Some(18) || race.b.at.line == Some(18)).count();
    assert!(there > 0);
    report.suppress(&Suppressions::default(), "2026-11-16");
    assert_eq!((report.suppressed.len(), report.summary.suppressed), (there, there));
    assert_eq!(report.suppressed[0].by, "ring.c:18");
    assert!(report.text(Colour::Never).contains("a hint only"));
}

#[test]
fn what_is_new_gone_and_still_there() {
    let old = everything();
    let mut new = everything();
    new.races.remove(0);
    let mut other = new.races[0].clone();
    (other.id, other.title) = ("0123456789".into(), "a new one".into());
    new.races.push(other);
    new.compare("old.json", &old);
    let baseline = new.baseline.as_ref().unwrap();
    assert_eq!(baseline.new, ["0123456789"]);
    assert_eq!((baseline.gone.len(), baseline.still.len(), new.counting()), (1, 5, 1));
    let text = new.changes(Colour::Never).unwrap();
    assert!(text.contains("new: 1\n   0123456789  a new one\n"), "{text}");
    assert!(text.ends_with("1 new, 1 gone, 5 still there, compared with old.json\n"), "{text}");
    let mut same = everything();
    same.compare("old.json", &old);
    assert_eq!(same.counting(), 0);
}

#[test]
fn a_truncated_report_gives_its_whole_races_and_a_note() {
    let json = everything().json();
    let (mut most, mut refused) = (0, 0);
    for end in (0..json.len()).step_by(97) {
        let Some(part) = json.get(..end) else { continue };
        match Report::from_json(part) {
            Ok(report) => {
                assert!(report.notes.iter().any(|note| note.contains("damaged")), "{:?}", report.notes);
                assert_eq!(report.summary.races, report.races.len());
                most = most.max(report.races.len());
            }
            Err(why) => {
                assert!(why.contains("is not a report of thrille"), "{why}");
                refused += 1;
            }
        }
    }
    assert!(most == 6 && refused > 0, "{most} {refused}");
}

#[test]
fn foreign_json_is_refused_and_newer_json_is_read() {
    for foreign in ["", "[]", "{}", "null", "{\"version\": \"2.1.0\", \"runs\": []}", "not json", "{\"races\": 3}"] {
        let why = Report::from_json(foreign).unwrap_err();
        assert!(why.contains("is not a report of thrille"), "{foreign}: {why}");
    }
    let newer = everything().json().replacen("\"version\": 1", "\"version\": 2, \"weather\": \"fine\"", 1);
    let report = Report::from_json(&newer).unwrap();
    assert!(report.notes[0].contains("version 2") && report.races.len() == 6);
}
