//! Line charts as SVG: panels in two columns, axes with round numbers, a legend in each panel.

use crate::escape::xml;
use crate::number::short;

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The title: the quantity on the vertical axis.
    pub title: String,
    /// The quantity on the horizontal axis.
    pub x_title: String,
    /// The scale of both axes.
    pub scale: Scale,
    /// The lines.
    pub series: Vec<Series>,
}

/// The scale of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scale {
    /// From 0 to a round number.
    #[default]
    Linear,
    /// Between powers of ten. Values that are not positive have no place.
    Logarithmic,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, by increasing x.
    pub points: Vec<(f64, f64)>,
    dashed: bool,
    marks: bool,
    joined: bool,
}

impl Series {
    /// A line through points.
    pub fn line(name: String, points: Vec<(f64, f64)>) -> Series {
        Series { name, points, dashed: false, marks: false, joined: true }
    }

    /// Marks at points, without a line.
    pub fn marks(name: String, points: Vec<(f64, f64)>) -> Series {
        Series { marks: true, joined: false, ..Series::line(name, points) }
    }

    /// The line is dashed.
    #[must_use]
    pub fn dashed(self) -> Series {
        Series { dashed: true, ..self }
    }

    /// The points are marked.
    #[must_use]
    pub fn with_marks(self) -> Series {
        Series { marks: true, ..self }
    }
}

/// Colours that people with colour blindness can tell apart (M. Okabe and K. Ito).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d00"];

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
/// The margins of the plotted area in a panel: left, right, top, bottom.
const MARGINS: [f64; 4] = [58.0, 16.0, 34.0, 44.0];
/// The height of a line of the legend.
const LINE: f64 = 15.0;
/// Longer names are cut in the legend.
const LONGEST_NAME: usize = 56;
/// More points than this are thinned out.
const MOST_POINTS: usize = 800;

/// The beginning of every document.
pub const HEAD: &str = "<!-- Kripke -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"";

/// The charts as one document.
pub fn document(charts: &[Chart]) -> String {
    let columns = charts.len().clamp(1, 2);
    let legend = charts.iter().map(|chart| chart.series.len()).max().unwrap_or(0) as f64 * LINE;
    let height = HEIGHT + legend;
    let rows = charts.len().div_ceil(columns);
    let (whole_width, whole_height) = (columns as f64 * WIDTH, rows as f64 * height);
    let mut out = format!(
        "{HEAD} width=\"{whole_width:.0}\" height=\"{whole_height:.0}\" \
         viewBox=\"0 0 {whole_width:.0} {whole_height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (i, chart) in charts.iter().enumerate() {
        let (x, y) = ((i % columns) as f64 * WIDTH, (i / columns) as f64 * height);
        out.push_str(&format!("<g transform=\"translate({x:.0} {y:.0})\">\n{}</g>\n", panel(chart)));
    }
    out + "</svg>\n"
}

/// An axis: the numbers at its ticks, and their positions.
struct Axis {
    scale: Scale,
    /// The first and the last number; exponents of ten on a logarithmic axis.
    range: (f64, f64),
    step: f64,
    /// The position of the first number, and of the last.
    ends: (f64, f64),
}

impl Axis {
    fn new(scale: Scale, values: impl Iterator<Item = f64>, ends: (f64, f64)) -> Axis {
        let values = values.filter(|value| value.is_finite() && *value > 0.0);
        let (least, most) = values.fold((f64::INFINITY, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
        match scale {
            Scale::Linear => Axis::linear(most, ends),
            Scale::Logarithmic => Axis::logarithmic(least.min(most), most, ends),
        }
    }

    fn linear(most: f64, ends: (f64, f64)) -> Axis {
        let most = if most > 0.0 { most } else { 1.0 };
        let size = 10f64.powf((most / 5.0).log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|n| n * size).into_iter().find(|step| step * 5.0 >= most * 0.999);
        let step = step.unwrap_or(size * 10.0);
        let last = (most / step).ceil().max(1.0) * step;
        Axis { scale: Scale::Linear, range: (0.0, last), step, ends }
    }

    fn logarithmic(least: f64, most: f64, ends: (f64, f64)) -> Axis {
        let (least, most) = if most > 0.0 { (least, most) } else { (1.0, 1.0) };
        let first = (least.log10() + 1e-9).floor();
        let last = (most.log10() - 1e-9).ceil().max(first + 1.0);
        let step = ((last - first) / 6.0).ceil();
        Axis { scale: Scale::Logarithmic, range: (first, last), step, ends }
    }

    /// The position of a value, if it has one.
    fn at(&self, value: f64) -> Option<f64> {
        let value = if self.scale == Scale::Logarithmic { value.log10() } else { value };
        let (first, last) = self.range;
        value.is_finite().then(|| self.ends.0 + (self.ends.1 - self.ends.0) * (value - first) / (last - first))
    }

    /// The numbers at the ticks, and their positions.
    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> {
        let (first, last) = self.range;
        let count = ((last - first) / self.step + 1e-6).floor() as usize;
        (0..=count).filter_map(move |i| {
            let tick = first + i as f64 * self.step;
            let value = if self.scale == Scale::Logarithmic { 10f64.powf(tick) } else { tick };
            self.at(value).map(|at| (value, at))
        })
    }

    /// A number at a tick: `250`, `2.5`, `1.2M`.
    fn text(&self, value: f64) -> String {
        if self.scale == Scale::Logarithmic {
            return power_of_ten(value.log10().round() as i32);
        }
        match self.step {
            ..0.0099 => format!("{value:.3}"),
            ..0.099 => format!("{value:.2}"),
            ..1.0 => format!("{value:.1}"),
            _ if self.step < 10.0 && self.step.fract() > 0.0 => format!("{value:.1}"),
            _ if self.range.1 < 10_000.0 => format!("{value:.0}"),
            _ => short(value.round() as u64),
        }
    }
}

/// A power of ten: `0.01`, `10`, `100k`.
fn power_of_ten(exponent: i32) -> String {
    let Ok(digits) = usize::try_from(exponent) else {
        return format!("{:.1$}", 10f64.powi(exponent), exponent.unsigned_abs() as usize);
    };
    let unit = ["", "k", "M", "G", "T"].get(digits / 3);
    unit.map_or_else(|| format!("1e{digits}"), |unit| format!("1{}{unit}", "0".repeat(digits % 3)))
}

fn panel(chart: &Chart) -> String {
    let [left, right, top, bottom] = MARGINS;
    let points = || chart.series.iter().flat_map(|s| &s.points);
    let x = Axis::new(chart.scale, points().map(|p| p.0), (left, WIDTH - right));
    let y = Axis::new(chart.scale, points().map(|p| p.1), (HEIGHT - bottom, top));
    let mut out =
        format!("<text x=\"{left}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{}</text>\n", xml(&chart.title));
    for (tick, at) in y.ticks() {
        out.push_str(&format!(
            "<path d=\"M{left} {at:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            WIDTH - right,
            left - 6.0,
            at + 4.0,
            y.text(tick)
        ));
    }
    let base = HEIGHT - bottom;
    for (tick, at) in x.ticks() {
        out.push_str(&format!(
            "<path d=\"M{at:.1} {base:.1}v4\" stroke=\"#444\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            base + 17.0,
            x.text(tick)
        ));
    }
    out.push_str(&format!(
        "<path d=\"M{left} {top}V{:.1}H{:.1}\" fill=\"none\" stroke=\"#444\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
        HEIGHT - bottom,
        WIDTH - right,
        (left + WIDTH - right) / 2.0,
        HEIGHT - 10.0,
        xml(&chart.x_title)
    ));
    for (number, series) in chart.series.iter().enumerate() {
        out.push_str(&line(series, COLOURS[number % COLOURS.len()], &x, &y));
        out.push_str(&legend(series, COLOURS[number % COLOURS.len()], HEIGHT + LINE * number as f64));
    }
    out
}

fn line(series: &Series, colour: &str, x: &Axis, y: &Axis) -> String {
    let every = series.points.len().div_ceil(MOST_POINTS).max(1);
    let last = series.points.len().saturating_sub(1);
    let kept = series.points.iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, point)| point);
    let points: Vec<(f64, f64)> = kept.filter_map(|(a, b)| x.at(*a).zip(y.at(*b))).collect();
    let path: Vec<String> = points.iter().map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
    let dash = if series.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let mut out = match series.joined {
        true => format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>\n",
            path.join(" ")
        ),
        false => String::new(),
    };
    // A single point has no line.
    if series.marks || points.len() == 1 {
        for (a, b) in &points {
            out.push_str(&format!("<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"3\" fill=\"{colour}\"/>\n"));
        }
    }
    out
}

fn legend(series: &Series, colour: &str, y: f64) -> String {
    let name: String = match series.name.chars().count() > LONGEST_NAME {
        true => series.name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => series.name.clone(),
    };
    let left = MARGINS[0];
    format!(
        "<path d=\"M{left} {:.1}h18\" stroke=\"{colour}\" stroke-width=\"2.5\"/><text x=\"{:.1}\" y=\"{y:.1}\">{}</text>\n",
        y - 4.0,
        left + 24.0,
        xml(&name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (most, last, ticks, text) in [
            (1.0, 1.0, 6, "1.0"),
            (7.3, 8.0, 5, "8"),
            (0.013, 0.015, 4, "0.015"),
            (1_234_567.0, 1_250_000.0, 6, "1.2M"),
            (0.0, 1.0, 6, "1.0"),
            (300.0, 300.0, 4, "300"),
        ] {
            let axis = Axis::new(Scale::Linear, [most].into_iter(), (0.0, 100.0));
            assert!((axis.range.1 - last).abs() < 1e-9 * last.max(1.0), "{most}: {}", axis.range.1);
            assert_eq!(axis.ticks().count(), ticks, "{most}");
            assert_eq!(axis.text(axis.range.1), text, "{most}");
            assert!((axis.at(axis.range.1).unwrap() - 100.0).abs() < 1e-9);
        }
    }

    #[test]
    fn logarithmic_axes_have_powers_of_ten() {
        for (values, texts) in [
            (&[0.02, 3.0][..], &["0.01", "0.1", "1", "10"][..]),
            (&[5.0, 5.0], &["1", "10"]),
            (&[100.0, 10_000_000.0], &["100", "1k", "10k", "100k", "1M", "10M"]),
            (&[0.0, -1.0, f64::NAN], &["1", "10"]),
            (&[], &["1", "10"]),
        ] {
            let axis = Axis::new(Scale::Logarithmic, values.iter().copied(), (0.0, 100.0));
            assert_eq!(axis.ticks().map(|(tick, _)| axis.text(tick)).collect::<Vec<_>>(), texts, "{values:?}");
            assert!(axis.at(0.0).is_none(), "zero has no place");
        }
    }

    #[test]
    fn many_points_are_thinned_out_but_not_the_last() {
        let points: Vec<(f64, f64)> = (0..10_001).map(|i| (f64::from(i), 1.0)).collect();
        let axis = || Axis::new(Scale::Linear, [10_000.0].into_iter(), (0.0, 10_000.0));
        let text = line(&Series::line("s".to_string(), points), "red", &axis(), &axis());
        assert!(text.matches(',').count() <= MOST_POINTS + 1);
        assert!(text.contains("10000.0,1.0\""), "the last point is there");
    }
}
