//! Diagrams as text.

use super::*;

fn sample() -> Diagram {
    let node = |text: &str| Node { lines: vec![text.to_string()], ..Node::default() };
    let arrow = |from, to, text: &str| Arrow { from, to, label: vec![text.to_string()], ..Arrow::default() };
    Diagram {
        title: "a < b & \"c\"".to_string(),
        nodes: vec![
            Node { initial: true, ..node("x = 0") },
            Node { accepting: true, shape: Shape::Circle, ..node("</svg>") },
            Node { role: Role::Deadlock, ..node("bell \u{7}") },
        ],
        arrows: vec![arrow(0, 1, "go\"\\"), arrow(1, 0, "back"), arrow(1, 1, "stay"), arrow(1, 2, "x > 1")],
        legend: vec![
            Key::Role(Role::Deadlock, "deadlock".into()),
            Key::Ink(0, "p".into()),
            Key::Accepting("accepting".into()),
        ],
        ..Diagram::default()
    }
}

#[test]
fn text_of_a_model_is_escaped() {
    let svg = svg(&sample());
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;") && svg.contains("bell \\x07"), "{svg}");
    assert_eq!(svg.matches("</svg>").count(), 1);
    assert!(svg.contains(">&lt;/svg&gt;<") && !svg.contains("<script"), "{svg}");
    let dot = dot(&sample());
    assert!(dot.contains("n0 -> n1 [label=\"go\\\"\\\\\""), "{dot}");
    assert!(dot.contains("n1 [label=\"</svg>\", shape=doublecircle") && dot.contains("bell \\\\x07"), "{dot}");
}

#[test]
fn every_arrow_and_node_is_drawn() {
    let (svg, dot) = (svg(&sample()), dot(&sample()));
    for id in ["n0", "n1", "n2", "e0", "e1", "e2", "e3"] {
        assert!(svg.contains(&format!("<g id=\"{id}\"")), "{id}: {svg}");
    }
    assert_eq!(dot.matches(" -> ").count(), 4 + 1, "one more leads to the initial node: {dot}");
    assert_eq!(svg.matches("<g ").count() + svg.matches("<g>").count(), svg.matches("</g>").count());
}

#[test]
fn long_texts_are_broken() {
    assert_eq!(wrapped("short text"), ["short text"]);
    assert_eq!(wrapped(""), [""]);
    let lines = wrapped(&"word ".repeat(30));
    assert!(lines.len() > 3 && lines.iter().all(|line| line.chars().count() <= 40), "{lines:?}");
    let lines = wrapped(&"é".repeat(100));
    assert_eq!(lines.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [40, 40, 20]);
    assert_eq!(wrapped(&"word ".repeat(1000)).last().map(String::as_str), Some("…"));
}

#[test]
fn a_player_needs_nothing_else() {
    let diagram = sample();
    let sheet = Sheet::new(&diagram);
    let frame = |caption: &str, classes: [&'static str; 3]| Frame {
        caption: caption.to_string(),
        nodes: classes.to_vec(),
        arrows: vec![""; 4],
    };
    let frames = [frame("one </script>", ["current", "new", "new"]), frame("two", ["stack", "current", "new"])];
    let page = player("title", &sheet, &frames);
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(page.contains("[\"two\",[[0,\"stack\"],[1,\"current\"]],[]]"), "{page}");
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!without_namespace.contains("http") && !without_namespace.contains("src="), "{page}");
}
