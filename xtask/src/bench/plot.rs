//! Two plots: how many times as long each program takes, and where that time goes (figure 1 of the paper).

use super::configs::CONFIGS;
use super::rows::{Key, Row};
use super::table::{Group, Parts, subjects};
use crate::Result;
use std::fmt::Write;
use std::path::Path;

const COLOURS: [&str; CONFIGS.len()] = [
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#222255", "#225555", "#666633",
    "#663333", "#555555", "#999933", "#000000",
];
const BAR: f64 = 22.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const HEIGHT: f64 = 260.0;

/// Writes `slowdown.svg` and `breakdown.svg`.
pub fn write(out: &Path, rows: &[Row]) -> Result<()> {
    for (name, text) in [("slowdown.svg", slowdown(rows)), ("breakdown.svg", breakdown(rows))] {
        let path = out.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Of a subject, below its bars.
fn label(key: &Key) -> String {
    let model = if key.model == "shmem" { String::new() } else { format!(" {}", key.model) };
    format!("{} {}/{}{model}", key.program, key.class, key.ranks)
}

struct Canvas {
    text: String,
    width: f64,
}

impl Canvas {
    fn new(width: f64, title: &str, legend: &[&str]) -> Self {
        let width = width.max(780.0);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"16\" font-size=\"13\">{title}</text>\n",
            TOP + HEIGHT + 90.0
        );
        let apart = if legend.len() > 4 { 60.0 } else { 120.0 };
        for (i, (name, colour)) in legend.iter().zip(COLOURS).enumerate() {
            let x = LEFT + apart * i as f64;
            let _ = writeln!(
                text,
                "<rect x=\"{x:.0}\" y=\"22\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{:.0}\" y=\"31\">{name}</text>",
                x + 14.0
            );
        }
        Self { text, width }
    }

    /// A horizontal line with its value.
    fn grid(&mut self, y: f64, value: &str) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.0}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            self.width - 10.0,
            LEFT - 6.0,
            y + 4.0
        );
    }

    fn bar(&mut self, x: f64, from: f64, to: f64, colour: &str) {
        let _ = writeln!(
            self.text,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
            from.min(to),
            BAR - 2.0,
            (from - to).abs()
        );
    }

    fn line(&mut self, x: f64, from: f64, to: f64) {
        let _ =
            writeln!(self.text, "<line x1=\"{x:.1}\" y1=\"{from:.1}\" x2=\"{x:.1}\" y2=\"{to:.1}\" stroke=\"black\"/>");
    }

    fn name(&mut self, x: f64, name: &str) {
        let y = TOP + HEIGHT + 14.0;
        let _ =
            writeln!(self.text, "<text x=\"{x:.1}\" y=\"{y:.1}\" transform=\"rotate(30 {x:.1} {y:.1})\">{name}</text>");
    }

    fn end(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// Bars on a logarithmic scale, with the spread of the repetitions.
fn slowdown(rows: &[Row]) -> String {
    let shown: Vec<&str> = CONFIGS
        .iter()
        .map(|config| config.name)
        .filter(|&name| name != "native" && rows.iter().any(|row| row.key.config == name))
        .collect();
    let keys = subjects(rows);
    let group_width = BAR * shown.len() as f64 + 24.0;
    let mut canvas = Canvas::new(
        LEFT + group_width * keys.len() as f64 + 40.0,
        "Processor time: times as much as without the detector",
        &shown,
    );
    let ratio = |key: &Key, config: &str| {
        Group::find(rows, key, config).ratio(&Group::find(rows, key, "native"), |row| row.cpu)
    };
    let highest = keys
        .iter()
        .flat_map(|key| shown.iter().filter_map(|config| ratio(key, config)))
        .map(|spread| spread.most)
        .fold(10.0, f64::max);
    let decades = highest.log10().ceil();
    // From a half upwards, so that "as long as before" stands above the ground.
    let low = 0.5_f64.log10();
    let y = |value: f64| TOP + HEIGHT - (value.max(0.5).log10() - low) / (decades - low) * HEIGHT;
    for decade in 0..=decades as i32 {
        let value = 10_f64.powi(decade);
        canvas.grid(y(value), &format!("{value}x"));
    }
    for (i, key) in keys.iter().enumerate() {
        let x = LEFT + 12.0 + group_width * i as f64;
        for (j, (config, colour)) in shown.iter().zip(COLOURS).enumerate() {
            let Some(spread) = ratio(key, config) else { continue };
            let x = x + BAR * j as f64;
            canvas.bar(x, y(0.5), y(spread.median), colour);
            canvas.line(x + BAR / 2.0, y(spread.least), y(spread.most));
        }
        canvas.name(x, &label(key));
    }
    canvas.end()
}

/// Shares of the time that full observation takes more.
fn breakdown(rows: &[Row]) -> String {
    let keys = subjects(rows);
    let legend = ["instrumentation", "computation", "communication"];
    let mut canvas = Canvas::new(
        LEFT + (BAR * 2.0 + 24.0) * keys.len() as f64 + 40.0,
        "Where the processor time of full observation goes",
        &legend,
    );
    let y = |share: f64| TOP + HEIGHT * (1.0 - share);
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        canvas.grid(y(share), &format!("{:.0}%", share * 100.0));
    }
    for (i, key) in keys.iter().enumerate() {
        let x = LEFT + 12.0 + (BAR * 2.0 + 24.0) * i as f64;
        if let Some(parts) = Parts::of(rows, key) {
            let shares = [parts.instrumentation, parts.computation, parts.communication];
            let sum = shares.iter().sum::<f64>().max(1e-9);
            let mut at = 0.0;
            for (share, colour) in shares.into_iter().zip(COLOURS) {
                canvas.bar(x, y(at / sum), y((at + share) / sum), colour);
                at += share;
            }
        }
        canvas.name(x, &label(key));
    }
    canvas.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_hold_a_bar_for_each_configuration() {
        let row = |config: &str, wall| {
            let key = Key {
                program: "EP".into(),
                model: "shmem".into(),
                variant: 0,
                class: 'S',
                ranks: 2,
                config: config.into(),
                repetition: 0,
            };
            Row { wall, cpu: wall, ..Row::new(key) }
        };
        let rows = [row("native", 1.0), row("NL", 1.1), row("hooks", 2.0), row("full", 20.0)];
        // Background, the legend, the bars.
        assert_eq!(slowdown(&rows).matches("<rect").count(), 7);
        assert_eq!(breakdown(&rows).matches("<rect").count(), 7);
        assert!(slowdown(&[]).ends_with("</svg>\n"));
    }
}
