//! JUnit's XML, which continuous integration shows as tests: each race is one that fails, a suppressed one is skipped. A clean run is one
//! test that passes.

use crate::shape::{RaceReport, Report};
use crate::text;
use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

/// The whole report as a test suite.
pub fn junit(report: &Report) -> String {
    let mut suites = Suites::new("thrille");
    let name = report.run.as_ref().map_or_else(|| "thrille".into(), |run| crate::html::name(&run.command));
    let mut suite = TestSuite::new(clean(&name));
    let known: &[String] = report.baseline.as_ref().map_or(&[], |baseline| &baseline.still);
    for race in &report.races {
        if known.contains(&race.id) {
            let mut status = TestCaseStatus::skipped();
            status.set_message("was there before (baseline)");
            suite.add_test_case(case(race, status));
            continue;
        }
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status
            .set_type(race.why.pattern.as_ref())
            .set_message(clean(&race.title))
            .set_description(clean(&text::one(race)));
        suite.add_test_case(case(race, status));
    }
    for suppressed in &report.suppressed {
        let mut status = TestCaseStatus::skipped();
        status.set_message(clean(&format!("suppressed by {}: {}", suppressed.by, suppressed.reason)));
        suite.add_test_case(case(&suppressed.race, status));
    }
    let mut run = match text::failure(report) {
        _ if report.summary.ranks_observed == 0 => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message("nothing was observed");
            TestCase::new("the program was observed", status)
        }
        Some((what, how)) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(clean(&format!("{what} {how}")));
            TestCase::new("the program ended well", status)
        }
        None => TestCase::new("the program ended well", TestCaseStatus::success()),
    };
    run.set_classname("thrille.run");
    suite.add_test_case(run);
    if !report.notes.is_empty() {
        suite.set_system_out(clean(&report.notes.join("\n")));
    }
    suites.add_test_suite(suite);
    // Texts without control characters: nothing that XML cannot hold.
    suites.to_string().unwrap_or_default()
}

fn case(race: &RaceReport, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(clean(&format!("{} {}", race.id, race.title)), status);
    let file = race.a.at.file.as_deref().unwrap_or(&race.a.at.module);
    case.set_classname(clean(&format!("thrille.{file}")));
    case
}

/// XML has no way to write most control characters.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c }).collect()
}
