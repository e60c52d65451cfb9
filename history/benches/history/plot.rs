//! Time an operation against how many ranges there are, both logarithmic.

use std::fmt::Write;

/// One measurement.
pub struct Point {
    pub line: String,
    pub n: u64,
    pub insert: f64,
    pub search: f64,
}

const COLOURS: [&str; 6] = ["#4477aa", "#66ccee", "#ee6677", "#ee99aa", "#228833", "#ccbb44"];
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 260.0;

/// Two panels: insertion and search.
pub fn svg(points: &[Point]) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for point in points {
        if !lines.contains(&point.line.as_str()) {
            lines.push(&point.line);
        }
    }
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * WIDTH + 20.0,
        HEIGHT + 80.0
    );
    panel(&mut text, 0.0, "ns an insertion", points, &lines, |p| p.insert);
    panel(&mut text, WIDTH, "ns a search", points, &lines, |p| p.search);
    for (i, (line, colour)) in lines.iter().zip(COLOURS).enumerate() {
        let (x, y) = (60.0 + 230.0 * (i % 3) as f64, HEIGHT + 36.0 + 18.0 * (i / 3) as f64);
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"{y}\">{line}</text>",
            y - 6.0,
            x + 20.0
        );
    }
    text + "</svg>\n"
}

fn panel(text: &mut String, x: f64, title: &str, points: &[Point], lines: &[&str], value: impl Fn(&Point) -> f64) {
    let (left, top, width, height) = (x + 50.0, 28.0, WIDTH - 70.0, HEIGHT - 40.0);
    // From 1 ns to 10 us, from a thousand to ten million.
    let across = |n: u64| left + ((n as f64).log10() - 3.0) / 4.0 * width;
    let up = |ns: f64| top + height - (ns.max(1.0).log10() / 4.0).min(1.0) * height;
    let _ = writeln!(text, "<text x=\"{left}\" y=\"16\" font-size=\"12\">{title}</text>");
    for decade in 0..=4 {
        let y = up(10f64.powi(decade));
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left + width,
            left - 4.0,
            y + 4.0,
            10u32.pow(decade as u32)
        );
    }
    for exponent in 3..=7 {
        let n = 10u64.pow(exponent);
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{n}</text>",
            across(n),
            top + height + 14.0
        );
    }
    for (line, colour) in lines.iter().zip(COLOURS) {
        let of_line = points.iter().filter(|p| p.line == *line);
        let places: Vec<String> = of_line.map(|p| format!("{:.1},{:.1}", across(p.n), up(value(p)))).collect();
        let _ = writeln!(
            text,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>",
            places.join(" ")
        );
    }
}
