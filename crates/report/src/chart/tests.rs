use std::sync::Arc;
use std::time::Instant;

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
fn many_lanes_come_closer() {
    let mut chart = of(sample::handshake(), false);
    let lane = chart.lanes[2].clone();
    chart.lanes.resize(14, lane);
    for (width, widest) in [(140, 5), (115, 4), (80, 3)] {
        let text = plain(&text::text(&chart, look(width)));
        let heading = text.lines().find(|line| line.contains("statement")).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        assert_eq!(heading.find("11").unwrap() - heading.find("10").unwrap(), widest, "{text}");
    }
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

/// A long run is drawn whole: each step is a line. Times are printed, for they depend on the machine.
#[test]
fn long_runs_are_drawn_whole() {
    let draw = |steps: i32, view: &dyn Fn(&Chart) -> String| {
        let model = sample::counter(steps);
        let (run, _) = sample::counterexample(model.clone());
        let mut interpreter = Interpreter::new(Arc::new(model)).unwrap();
        let start = Instant::now();
        let drawn = view(&chart(&run, &run.names(), &mut interpreter, true));
        println!("{steps} steps: {:?}", start.elapsed());
        assert!(drawn.lines().count() >= steps as usize, "{} lines", drawn.lines().count());
    };
    draw(1_000, &svg::svg);
    draw(10_000, &|chart| text::text(chart, Look { width: 100, full: true }));
    draw(10_000, &mermaid::mermaid);
}
