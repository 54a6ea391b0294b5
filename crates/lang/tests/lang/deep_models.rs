//! The deepest text that is accepted must fit on a small stack, all the way to the model.

use std::io;
use std::path::Path;

use kripke_lang::source::Loader;
use kripke_lang::{LoadOptions, load, render};

struct Text(String);

impl Loader for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

/// How often `open` can be repeated before the text is refused.
fn deepest(open: &str, middle: &str, close: &str) -> usize {
    let loads = |n: usize| {
        let text = format!("int x; init {{ {}{middle}{} }}", open.repeat(n), close.repeat(n));
        let loaded = load(Path::new("deep.pml"), &Text(text), &LoadOptions::default());
        let refused = loaded.model.is_none();
        let why = render::render_all(&loaded.sources, &loaded.diagnostics, false);
        assert!(!refused || why.contains("too deeply") || why.contains("too large"), "{why}");
        !refused
    };
    let (mut good, mut bad) = (1, 4_096);
    assert!(loads(good) && !loads(bad), "{open}");
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        if loads(middle) { good = middle } else { bad = middle }
    }
    good
}

#[test]
fn deep_text_is_accepted_or_refused_but_never_overflows() {
    for (open, middle, close, least) in [
        ("(", "x", ")", 200),
        ("! ", "x", "", 200),
        ("!(", "x", ")", 200),
        ("(x + ", "x", ")", 200),
        ("(x -> 1 : ", "x", ")", 200),
        ("(x || x && x | x ^ x & x == x < x << x + x * ", "x", ")", 50),
        ("x + ", "x", "", 500),
        ("{ ", "skip", " }", 50),
        ("if :: ", "skip", " fi", 50),
        ("atomic { ", "skip", " }", 50),
        ("(x -> ", "1", " : 2)", 50),
        ("do :: x -> ", "break", " od", 50),
    ] {
        let found = deepest(open, middle, close);
        assert!(found >= least, "only {found} of {open:?}");
    }
}
