//! The forms a report is written as: each against what its readers expect, with names that try to break out.

use super::everything;
use crate::shape::Report;
use crate::text::Colour;
use crate::{Form, html};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a hostile program may be called, and its functions, files, variables and lines.
const HOSTILE: [&str; 6] = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>\"'`&amp;",
    "]]>\u{0}\u{8}\u{1b}[31m%0A::error::",
    "line\nbreak\r\ttab,a=b:c%",
    "\u{2028}\u{2029}\u{202e}rtl\u{feff}",
    "--><!--{{7*7}}${1}\\u003c",
];

/// Everything, with hostile strings wherever the program gives one.
fn hostile() -> Report {
    let mut report = everything();
    let run = report.run.as_mut().unwrap();
    run.command = HOSTILE.map(Into::into).into();
    run.invocation = ["thrille".into()].into_iter().chain(HOSTILE.map(Into::into)).collect();
    for (race, bad) in report.races.iter_mut().zip(HOSTILE) {
        for side in [&mut race.a, &mut race.b] {
            side.call = Some(bad.into());
            side.at.function = Some(bad.into());
            side.at.file = Some(bad.into());
            side.at.path = Some(format!("/{bad}"));
            side.at.source = Some(bad.into());
            side.at.module = bad.into();
            for frame in &mut side.stack {
                frame.function = Some(bad.into());
            }
        }
        race.title = bad.into();
        race.object.name = Some(bad.into());
        race.why.text = bad.into();
        race.why.hints.push(bad.into());
    }
    report.notes.extend(HOSTILE.map(String::from));
    report
}

fn schema(text: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

fn valid(validator: &jsonschema::Validator, text: &str) {
    let value: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
}

/// The schema of the standard, from the crate that carries it.
fn sarif_schema() -> String {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--offline", "--filter-platform=x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // One pattern has a bracket too many, which the validator does not take for a regular expression.
    text.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}?$")
}

#[test]
fn sarif_is_valid_and_relative() {
    let schema = schema(&sarif_schema());
    let mut compared = everything();
    compared.compare("old.json", &Report::default());
    for report in [everything(), hostile(), Report::default(), compared] {
        let text = report.render(Form::Sarif, Colour::Never);
        valid(&schema, &text);
        let typed: serde_sarif::sarif::Sarif = serde_json::from_str(&text).unwrap();
        assert_eq!(typed.runs[0].results.as_ref().unwrap().len(), report.races.len());
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    let mut report = everything();
    for race in &mut report.races {
        for at in [&mut race.a.at, &mut race.b.at] {
            at.path = at.path.as_ref().map(|_| dir.path().join("src/a b.c").display().to_string());
        }
    }
    let value: Value = serde_json::from_str(&report.render(Form::Sarif, Colour::Never)).unwrap();
    let result = &value["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a%20b.c");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"], "SRCROOT");
    assert_eq!(result["partialFingerprints"]["thrilleRace/v1"], report.races[0].id.as_str());
}

#[test]
fn the_json_is_what_its_schema_says() {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let made = settings.into_generator().into_root_schema_for::<Report>();
    let made = serde_json::to_string_pretty(&made).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/report.schema.json");
    if std::env::var_os("THRILLE_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/report.schema.json is not the schema of the types; THRILLE_BLESS=1 accepts them");
    let schema = schema(&kept);
    for report in [everything(), hostile(), Report::default()] {
        valid(&schema, &report.json());
        let back = Report::from_json(&report.json()).unwrap();
        assert_eq!(back.json(), report.json(), "what was written is read back");
    }
    let broken = everything().json().replacen("\"races\": [", "\"races\": [7, ", 1);
    assert!(!schema.is_valid(&serde_json::from_str(&broken).unwrap()), "the schema must be able to refuse");
}

#[test]
fn junit_counts_and_is_xml() {
    for report in [everything(), hostile()] {
        let text = report.render(Form::Junit, Colour::Never);
        assert!(text.contains(&format!("failures=\"{}\"", report.races.len())), "{text}");
        assert!(!text.contains("<script>") && !text.contains('\u{0}') && !text.contains('\u{1b}'), "{text}");
    }
    let clean = Report { races: Vec::new(), ..everything() };
    let text = clean.render(Form::Junit, Colour::Never);
    assert!(text.contains("failures=\"0\"") && text.contains("tests=\"1\""), "{text}");
}

#[test]
fn annotations_are_one_line_each() {
    let text = everything().render(Form::Github, Colour::Never);
    assert!(text.contains("::error file=/home/u/ring.c,line=11,col=12,title=data race "), "{text}");
    let report = hostile();
    let text = report.render(Form::Github, Colour::Never);
    assert!(text.lines().all(|line| line.starts_with("::error ") || line.starts_with("::notice ")), "{text}");
    assert!(text.lines().all(|line| !line.contains('\r')));
}

#[test]
fn nothing_of_the_program_becomes_markup() {
    let page = html::html(&hostile());
    // The page's own script, the data, and what they are made of: two elements, closed twice.
    assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
    assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>\"") && !page.contains("<!--"));
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let value: Value = serde_json::from_str(data).unwrap();
    assert_eq!(value["races"][0]["title"], HOSTILE[0], "what is shown is what it was");
    assert!(page.contains("Content-Security-Policy") && !page.contains("unsafe-inline"));
    assert!(!page.contains("http://") || page.matches("http://").all(|_| page.contains("http://www.w3.org/2000/svg")));
    assert!(!page.contains("https://"), "no address to fetch anything from");
}

#[test]
fn no_form_breaks_on_an_empty_report() {
    for form in [Form::Text, Form::Json, Form::Html, Form::Sarif, Form::Junit, Form::Github] {
        let _ = Report::default().render(form, Colour::Never);
    }
}
