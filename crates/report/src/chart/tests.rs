use std::sync::Arc;
use std::time::{Duration, Instant};

use kripke_model::Interpreter;

use super::*;
use crate::sample;
use crate::style::plain;
use crate::table::Look;

fn of(model: kripke_model::Model, changes: bool) -> Chart {
    let (run, _) = sample::counterexample(model.clone());
    let mut interpreter = Interpreter::new(Arc::new(model)).unwrap();
    chart(&run, &run.names(), &mut interpreter, changes)
}

fn look(width: usize) -> Look {
    Look { width, full: false }
}

#[test]
fn messages_have_tracks_and_a_rendezvous_is_an_arrow() {
    let chart = of(sample::handshake(), false);
    let want = "    #   sender  receiver(1)  receiver(2)   line  statement
    1     ●━━━━━━━━━━┿━━━━━━━━━━━━▶         3→6  c!7
    2     ●─╴        │            │           4  d!msg,3 (not received)
    3     ●━━━━━━━━━━▶            │         3→6  c!7
    4     ●─╴        │            │           4  d!msg,3 (not received)

  ✗ no process can move
";
    assert_eq!(plain(&text::text(&chart, look(100))), want);
}

#[test]
fn a_narrow_chart_numbers_its_lanes() {
    let text = plain(&text::text(&of(sample::handshake(), false), look(60)));
    assert!(text.starts_with("  0 sender   1 receiver(1)   2 receiver(2)\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn mermaid_has_no_sign_with_a_meaning() {
    let mut chart = of(sample::handshake(), true);
    chart.rows[0].text = "end; # x < 3".to_string();
    let text = mermaid::mermaid(&chart);
    assert!(text.contains("p0->>p2: 1 #101;nd#59; #35; x #60; 3\n"), "{text}");
    assert!(text.contains("Note over p0: 2 d!msg,3 (not received)\n"), "{text}");
}

#[test]
fn svg_is_well_formed_and_has_all_steps() {
    let mut chart = of(sample::handshake(), true);
    chart.rows[1].text = "a<b & \"c\"".to_string();
    let text = svg::svg(&chart);
    assert!(text.contains("a&lt;b &amp; &quot;c&quot;"), "{text}");
    assert_eq!(text.matches("<circle").count(), chart.rows.len());
    for tag in ["svg", "text", "style", "defs", "marker", "title"] {
        assert_eq!(text.matches(&format!("<{tag}")).count(), text.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

/// The fastest of three runs: other work on the machine may slow one down.
fn fastest(mut f: impl FnMut() -> usize) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        assert!(f() > 1000);
        start.elapsed()
    };
    (0..3).map(timed).min().unwrap()
}

#[test]
fn long_runs_are_drawn_in_time() {
    let draw = |steps: i32, view: &dyn Fn(&Chart) -> String| {
        let model = sample::counter(steps);
        let (run, _) = sample::counterexample(model.clone());
        let mut interpreter = Interpreter::new(Arc::new(model)).unwrap();
        fastest(|| view(&chart(&run, &run.names(), &mut interpreter, true)).len())
    };
    let most = Duration::from_millis(200);
    assert!(draw(1_000, &svg::svg) < most);
    assert!(draw(10_000, &|chart| text::text(chart, Look { width: 100, full: true })) < most);
    assert!(draw(10_000, &mermaid::mermaid) < most);
}
