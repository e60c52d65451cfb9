//! SARIF 2.1.0, which code scanning services and editors read. Paths are relative to the repository's root; fingerprints are the races' ids.

use crate::pages;
use crate::pattern::Pattern;
use crate::repository::{Repository, escaped};
use crate::shape::{Frame, RaceReport, Report, SideReport};
use crate::text::{failure, object, place};
use serde_json::{Map, Value, json};

/// The name that paths are relative to.
const ROOT: &str = "SRCROOT";

/// The whole report.
pub fn sarif(report: &Report, repository: &Repository) -> String {
    let rules: Vec<Value> = Pattern::ALL.into_iter().map(rule).collect();
    let context = Context { report, repository };
    let mut results: Vec<Value> = report.races.iter().map(|race| context.result(race)).collect();
    for suppressed in &report.suppressed {
        let mut result = context.result(&suppressed.race);
        let kind = if suppressed.origin == "comment" { "inSource" } else { "external" };
        result["suppressions"] = json!([{ "kind": kind, "justification": suppressed.reason }]);
        results.push(result);
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "thrille", "semanticVersion": report.tool, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { ROOT: { "uri": repository.uri() } },
            "invocations": [context.invocation()],
            "results": results,
        }],
    });
    // Strings, numbers and lists of them: nothing that JSON cannot hold.
    serde_json::to_string_pretty(&log).unwrap_or_default()
}

fn rule(pattern: Pattern) -> Value {
    let page = pages::page(pattern);
    json!({
        "id": pattern.word(),
        "shortDescription": { "text": pattern.gist() },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": "error" },
    })
}

struct Context<'a> {
    report: &'a Report,
    repository: &'a Repository,
}

impl Context<'_> {
    fn result(&self, race: &RaceReport) -> Value {
        let mut text = format!("data race: {}. {}", race.title, race.why.text);
        for help in race.why.fix.iter().map(|fix| &fix.text).chain(&race.why.hints) {
            text = format!("{text}. {help}");
        }
        let mut result = json!({
            "ruleId": race.why.pattern,
            "level": "error",
            "message": { "text": text },
            "locations": [self.location(&race.a.at, None, Some(&race.a.what))],
            "relatedLocations": [self.location(&race.b.at, Some(1), Some(&race.b.what))],
            "stacks": [self.stack("a", &race.a), self.stack("b", &race.b)],
            "partialFingerprints": { "thrilleRace/v1": race.id },
            "occurrenceCount": race.seen.max(1),
            "properties": { "memory": object(&race.object), "kind": race.why.kind },
        });
        if let Some(index) = Pattern::ALL.iter().position(|pattern| pattern.word() == race.why.pattern) {
            result["ruleIndex"] = index.into();
        }
        if let Some(baseline) = &self.report.baseline {
            let state = if baseline.new.contains(&race.id) { "new" } else { "unchanged" };
            result["baselineState"] = state.into();
        }
        result
    }

    fn location(&self, at: &Frame, id: Option<u32>, message: Option<&str>) -> Value {
        let mut location = Map::new();
        if let Some(id) = id {
            location.insert("id".into(), id.into());
        }
        if let Some(path) = &at.path {
            let artifact = match self.repository.relative(path) {
                Some(below) => json!({ "uri": escaped(&below), "uriBaseId": ROOT }),
                None => json!({ "uri": format!("file://{}", escaped(path)) }),
            };
            let mut physical = json!({ "artifactLocation": artifact });
            if let Some(line) = at.line {
                physical["region"] = json!({ "startLine": line });
                if let Some(column) = at.column {
                    physical["region"]["startColumn"] = column.into();
                }
                if let Some(source) = &at.source {
                    physical["region"]["snippet"] = json!({ "text": source });
                }
            }
            location.insert("physicalLocation".into(), physical);
        }
        // What has no source is somewhere all the same.
        let name = at.function.clone().unwrap_or_else(|| place(at));
        location.insert("logicalLocations".into(), json!([{ "fullyQualifiedName": name, "kind": "function" }]));
        if let Some(message) = message {
            location.insert("message".into(), json!({ "text": message }));
        }
        location.into()
    }

    fn stack(&self, name: &str, side: &SideReport) -> Value {
        let frames = std::iter::once(&side.at).chain(&side.stack);
        let frames: Vec<Value> =
            frames.map(|at| json!({ "location": self.location(at, None, None), "module": at.module })).collect();
        json!({ "message": { "text": format!("{name}: {} of rank {}", side.what, side.rank) }, "frames": frames })
    }

    fn invocation(&self) -> Value {
        let failed = failure(self.report);
        let note = |text: &String| json!({ "level": "note", "message": { "text": text } });
        let mut invocation = json!({
            "executionSuccessful": failed.is_none(),
            "toolExecutionNotifications": self.report.notes.iter().map(note).collect::<Vec<_>>(),
        });
        if let Some(run) = &self.report.run {
            invocation["commandLine"] = run.command.join(" ").into();
            invocation["arguments"] = run.command.get(1..).unwrap_or_default().into();
            if !run.started.is_empty() {
                invocation["startTimeUtc"] = run.started.as_str().into();
            }
        }
        invocation
    }
}
