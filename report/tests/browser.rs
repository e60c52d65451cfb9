//! The page in a real browser: headless Chromium, told what to do over its debugging protocol.
//!
//! Screenshots are left in `target/screenshots`. `THRILLE_CHROMIUM` names another browser than `chromium`.

mod chromium;
mod many;

use chromium::Browser;
use many::report_of;
use std::path::Path;
use std::time::{Duration, Instant};
use thrille_report::{Colour, Form, Report};

fn write(report: &Report, dir: &Path) -> String {
    let file = dir.join("report.html");
    std::fs::write(&file, report.render(Form::Html, Colour::Never)).unwrap();
    format!("file://{}", file.display())
}

#[test]
fn filter_open_and_copy() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = Browser::start(dir.path());
    browser.open(&write(&report_of(40), dir.path()));
    assert_eq!(browser.text("#count"), "40 races");
    assert_eq!(browser.whole("document.querySelectorAll('[role=option][aria-selected=true]').length"), 1);
    browser.screenshot("light");

    // Text, then kind, then rank.
    browser.type_into("#f-text", "solver_7.c:20");
    assert_eq!(browser.text("#count"), "1 of 40 races");
    assert!(browser.text("#detail h2").contains("solver_7.c"), "{}", browser.text("#detail h2"));
    browser.click("#f-clear");
    browser.wait("document.querySelector('#count').textContent === '40 races'");
    browser.choose("#f-kind", "missing_completion");
    let some = browser.text("#count");
    assert!(some.ends_with("of 40 races") && some != "0 of 40 races", "{some}");
    assert!(browser.text("#detail").contains("missing completion"));
    browser.screenshot("filtered");
    browser.choose("#f-kind", "");
    browser.choose("#f-rank", "3");
    assert!(browser.text("#count").ends_with("of 40 races"));
    browser.choose("#f-rank", "");

    browser.choose("#f-status", "confirmed");
    assert_eq!(browser.text("#count"), "10 of 40 races");
    assert!(browser.text("#detail").contains("Confirmation: ") && browser.text("#command").contains("thrille confirm"));
    browser.screenshot("confirmed");
    browser.choose("#f-status", "");

    // By keyboard: the next race, into it, and back.
    let first = browser.text("#detail h2");
    browser.key("j");
    let second = browser.text("#detail h2");
    assert_ne!(first, second);
    browser.evaluate("document.querySelector('#list').focus()");
    browser.key("ArrowUp");
    assert_eq!(browser.text("#detail h2"), first);
    browser.key("Enter");
    assert_eq!(browser.string("document.activeElement.id"), "detail");
    browser.key("Escape");
    assert_eq!(browser.string("document.activeElement.id"), "list");
    browser.key("/");
    assert_eq!(browser.string("document.activeElement.id"), "f-text");
    browser.evaluate("document.activeElement.blur()");

    // A click on a row opens it; two excerpts side by side, a token marked in each.
    browser.click("#row-5");
    assert!(browser.text("#detail h2").starts_with("Race 6:"));
    assert_eq!(browser.whole("document.querySelectorAll('.card').length"), 2);
    assert_eq!(browser.whole("document.querySelectorAll('.card mark').length"), 2);
    let tops = browser
        .string("[...document.querySelectorAll('.card')].map(c => Math.round(c.getBoundingClientRect().top)).join()");
    let (left, right) = tops.split_once(',').unwrap();
    assert_eq!(left, right, "side by side");
    assert!(browser.text(".timeline").contains("rank"));
    // What is around them: in the time line, its ends where the strands are, and in words.
    assert_eq!(browser.whole("document.querySelectorAll('.timeline .stop').length"), 7);
    assert_eq!(browser.whole("document.querySelectorAll('.timeline .way').length"), 2);
    let inside = "(() => { const box = document.querySelector('.timeline').viewBox.baseVal; return [...document.querySelectorAll('.timeline circle')]\
                  .every(c => c.cx.baseVal.value > 100 && c.cx.baseVal.value < box.width); })()";
    assert!(browser.evaluate(inside).as_bool().unwrap());
    assert!(
        browser.text(".around li").contains("shmem_long_p") && browser.text(".around .but").contains("leaves before a")
    );

    // The command lands on the clipboard.
    browser.allow_clipboard();
    browser.click("#copy");
    browser.wait("document.querySelector('#said').textContent === 'copied'");
    assert_eq!(browser.string("navigator.clipboard.readText()"), browser.text("#command"));
    assert!(browser.text("#command").contains("thrille check many.c -n 8"));

    // The other views, and dark.
    browser.click("#tab-ranks");
    let seen =
        "['races', 'ranks', 'run'].filter(view => document.querySelector('#view-' + view).offsetHeight > 0).join()";
    assert_eq!(browser.string(seen), "ranks");
    assert!(browser.number("document.querySelectorAll('.matrix td').length") >= 64.0);
    assert!(browser.number("document.querySelectorAll('.matrix td.race').length") > 0.0);
    browser.screenshot("ranks");
    browser.click("#tab-run");
    assert_eq!(browser.string(seen), "run");
    assert!(browser.text("#view-run").contains("dropped") && browser.text("#view-run").contains("4.3 of 5 %"));
    assert!(browser.text(".figures-table").contains("relax"));
    browser.screenshot("run");
    browser.click("#theme");
    browser.click("#tab-races");
    browser.screenshot("dark");
    browser.resize(600, 900);
    browser.screenshot("narrow");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn names_are_text_and_readers_have_labels() {
    let dir = tempfile::tempdir().unwrap();
    let mut report = report_of(3);
    let bad = "</script><img src=x onerror=document.title='broken'>";
    report.races[0].title = bad.into();
    report.races[0].object.name = Some(bad.into());
    report.races[0].a.at.function = Some(bad.into());
    report.races[0].a.at.source = Some(bad.into());
    report.notes.push(bad.into());
    let mut browser = Browser::start(dir.path());
    browser.open(&write(&report, dir.path()));
    browser.click("#tab-run");
    browser.click("#tab-ranks");
    browser.click("#tab-races");
    assert_eq!(browser.text("#detail h2"), format!("Race 1: {bad}"));
    assert_eq!(browser.whole("document.images.length"), 0);
    assert_ne!(browser.string("document.title"), "broken");
    // Everything that can be operated has a name that a screen reader can say.
    let nameless = "[...document.querySelectorAll('button, input, select, [role=listbox], [role=option], [role=tab], svg[role=img]')].filter(e => \
                    !(e.getAttribute('aria-label') || e.textContent.trim())).length";
    assert_eq!(browser.whole(nameless), 0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn ten_thousand_races_open_quickly_and_do_not_jump() {
    let dir = tempfile::tempdir().unwrap();
    for (races, limit) in [(500, Duration::from_secs(1)), (10_000, Duration::from_secs(5))] {
        let url = write(&report_of(races), dir.path());
        let size = std::fs::metadata(dir.path().join("report.html")).unwrap().len();
        assert!(races > 500 || size < 10_000_000, "{size} bytes");
        let mut browser = Browser::start(dir.path());
        let all = format!("{} races", if races == 500 { "500" } else { "10,000" });
        // Other tests share the machine: the best of three counts.
        let opened = |_| {
            browser.open("about:blank");
            let begun = Instant::now();
            browser.open(&url);
            assert_eq!(browser.text("#count"), all);
            begun.elapsed()
        };
        let took = (0..3).map(opened).min().unwrap();
        println!("{races} races: a page of {size} bytes opens in {took:?}");
        assert!(took < limit, "{races} races took {took:?}");
        // Only rows in sight exist, wherever the list is.
        assert!(browser.number("document.querySelectorAll('.row').length") < 60.0);
        browser.evaluate("document.querySelector('#list').scrollTop = 1e9");
        browser.wait(&format!("[...document.querySelectorAll('.row')].some(r => r.id === 'row-{}')", races - 1));
        browser.type_into("#f-text", "solver_7 store");
        assert!(browser.text("#count").contains(" of "));
        assert!(browser.number("window.shift") <= 0.0, "nothing jumps");
        browser.screenshot(&format!("{races}"));
    }
}
