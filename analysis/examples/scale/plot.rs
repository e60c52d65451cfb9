//! Four panels, both axes logarithmic: each pattern a line, full vector clocks a dashed one.

use crate::Row;
use crate::patterns::Rule;
use std::fmt::Write;

const COLOURS: [&str; 8] = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#000000", "#ee8866"];
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 280.0;

type Figure = fn(&Row) -> f64;

/// The plot of the weak rule; the strong one hardly differs, and is in the table.
pub fn svg(rows: &[Row]) -> String {
    let names: Vec<&str> = rows.iter().map(|row| row.pattern.as_str()).fold(Vec::new(), |mut names, name| {
        if !names.contains(&name) {
            names.push(name);
        }
        names
    });
    let panels: [(&str, Figure, Option<Figure>); 4] = [
        ("messages a rank sends, for each phase", |r| r.counts.messages() / r.phases as f64, None),
        ("bytes a rank sends, for each phase", |r| r.counts.bytes() / r.phases as f64, Some(|r| r.clocks.bytes)),
        ("bytes of memory of a rank", |r| r.counts.memory, Some(|r| r.clocks.memory)),
        ("critical path, microseconds for each phase", |r| r.time, Some(|r| r.clocks.time)),
    ];
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * WIDTH + 20.0,
        2.0 * HEIGHT + 60.0
    );
    for (i, (name, colour)) in names.iter().zip(COLOURS).enumerate() {
        let x = 50.0 + 82.0 * i as f64;
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"12\" width=\"14\" height=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"18\">{}</text>",
            x + 18.0,
            name.trim_end_matches(" recorded")
        );
    }
    let _ = writeln!(text, "<text x=\"710\" y=\"18\">- - full vector clocks</text>");
    for (i, (title, ours, clocks)) in panels.into_iter().enumerate() {
        let (x, y) = (WIDTH * (i % 2) as f64, 30.0 + (HEIGHT + 10.0) * (i / 2) as f64);
        panel(&mut text, (x, y), title, (rows, &names), ours, clocks);
    }
    text + "</svg>\n"
}

fn panel(
    text: &mut String,
    (x, y): (f64, f64),
    title: &str,
    (rows, names): (&[Row], &[&str]),
    ours: Figure,
    clocks: Option<Figure>,
) {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.rule == Rule::Weak).collect();
    let values = rows.iter().flat_map(|row| [Some(ours(row)), clocks.map(|f| f(row))]).flatten().filter(|v| *v > 0.0);
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = (low.log10().floor(), high.log10().ceil().max(low.log10().floor() + 1.0));
    let (left, top, width, height) = (x + 55.0, y + 24.0, WIDTH - 75.0, HEIGHT - 60.0);
    let across = |ranks: u32| left + (f64::from(ranks).log2() - 1.0) / 15.0 * width;
    let up = |value: f64| top + height - (value.max(10f64.powf(low)).log10() - low) / (high - low) * height;
    let _ = writeln!(text, "<text x=\"{left}\" y=\"{:.0}\" font-size=\"12\">{title}</text>", y + 14.0);
    for decade in low as i32..=high as i32 {
        let at = up(10f64.powi(decade));
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">1e{decade}</text>",
            left + width,
            left - 4.0,
            at + 4.0
        );
    }
    for log in (1..=16).step_by(3) {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            across(1 << log),
            top + height + 14.0,
            1u32 << log
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">ranks</text>",
        left + width / 2.0,
        top + height + 27.0
    );
    let mut line = |points: Vec<(u32, f64)>, style: &str| {
        let points: Vec<String> =
            points.iter().map(|(ranks, v)| format!("{:.1},{:.1}", across(*ranks), up(*v))).collect();
        let _ = writeln!(text, "<polyline fill=\"none\" {style} points=\"{}\"/>", points.join(" "));
    };
    for (&name, colour) in names.iter().zip(COLOURS) {
        let mine = rows.iter().filter(|row| row.pattern == name);
        line(mine.map(|row| (row.ranks, ours(row))).collect(), &format!("stroke=\"{colour}\" stroke-width=\"1.5\""));
    }
    if let Some(clocks) = clocks {
        let any = rows.iter().filter(|row| row.pattern == names[0]);
        line(any.map(|row| (row.ranks, clocks(row))).collect(), "stroke=\"black\" stroke-dasharray=\"5 4\"");
    }
}
