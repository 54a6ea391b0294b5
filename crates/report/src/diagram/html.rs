//! A page that plays a sequence of frames. It is one file without references to anything outside.

use serde_json::{Value, json};

use super::svg::{Frame, Sheet};
use super::xml;
use crate::escape::visible;

/// The page with all frames of a sheet. There has to be one.
pub fn player(title: &str, sheet: &Sheet<'_>, frames: &[Frame]) -> String {
    let first = frames.first().cloned().unwrap_or_default();
    let svg = sheet.svg(Some(&first));
    let mut before =
        Frame { caption: String::new(), nodes: vec![""; first.nodes.len()], arrows: vec![""; first.arrows.len()] };
    let mut steps = Vec::with_capacity(frames.len());
    for frame in frames {
        let changes = [changes(&before.nodes, &frame.nodes), changes(&before.arrows, &frame.arrows)];
        steps.push(json!([visible(&frame.caption), changes[0], changes[1]]));
        before = frame.clone();
    }
    // A `<` could end the script.
    let steps = Value::Array(steps).to_string().replace('<', "\\u003c");
    PAGE.replace("{title}", &xml(title)).replace("{svg}", &svg).replace("{steps}", &steps)
}

/// The entries that differ: number and class.
fn changes(before: &[&'static str], after: &[&'static str]) -> Vec<(usize, &'static str)> {
    let pairs = before.iter().zip(after).enumerate();
    pairs.filter(|(_, (a, b))| a != b).map(|(i, (_, b))| (i, *b)).collect()
}

const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="kripke">
<title>{title}</title>
<style>
body{margin:0;font-family:system-ui,sans-serif;color:#1a202c;background:#fff}
nav{position:sticky;top:0;background:#f2f5f8;border-bottom:1px solid #cbd5e0;padding:8px 16px;display:flex;gap:8px;align-items:center}
button{font:inherit;padding:4px 10px;min-width:2.6em;border:1px solid #a0aec0;border-radius:5px;background:#fff;cursor:pointer}
input{flex:1;min-width:80px}
#count{min-width:9em;text-align:right;font-variant-numeric:tabular-nums}
main{overflow:auto;padding:8px}
</style>
</head>
<body>
<nav>
<button id="first" title="first step (Home)">start</button>
<button id="back" title="one step back (←)">◀</button>
<button id="play" title="play or pause (space)">play</button>
<button id="next" title="one step on (→)">▶</button>
<button id="last" title="last step (End)">end</button>
<input id="slide" type="range" min="0" value="0" aria-label="step">
<span id="count"></span>
</nav>
<main>
{svg}</main>
<script>
"use strict";
const steps = {steps};
const element = id => document.getElementById(id);
const slide = element("slide"), last = steps.length - 1;
slide.max = last;
const plain = {};
let nodes = {}, arrows = {}, at = -1, timer = null;
function set(id, name) {
  const e = element(id);
  if (!e) return;
  if (!(id in plain)) plain[id] = e.getAttribute("class").split(" ").filter(c => !shown.has(c)).join(" ");
  e.setAttribute("class", plain[id] + " " + name);
}
const shown = new Set(["new", "open", "stack", "matched", "current", "bad", "taken"]);
function show(to) {
  to = Math.max(0, Math.min(last, to));
  if (to < at) { at = -1; nodes = {}; arrows = {}; }
  while (at < to) {
    at++;
    for (const [i, name] of steps[at][1]) nodes[i] = name;
    for (const [i, name] of steps[at][2]) arrows[i] = name;
  }
  for (const i in nodes) set("n" + i, nodes[i]);
  for (const i in arrows) set("e" + i, arrows[i]);
  element("caption").textContent = steps[at][0];
  element("count").textContent = "step " + at + " of " + last;
  slide.value = at;
}
function pause() { clearInterval(timer); timer = null; element("play").textContent = "play"; }
function play() {
  if (timer) return pause();
  if (at === last) show(0);
  element("play").textContent = "pause";
  timer = setInterval(() => { if (at === last) pause(); else show(at + 1); }, 600);
}
element("first").onclick = () => { pause(); show(0); };
element("back").onclick = () => { pause(); show(at - 1); };
element("next").onclick = () => { pause(); show(at + 1); };
element("last").onclick = () => { pause(); show(last); };
element("play").onclick = play;
slide.oninput = () => { pause(); show(Number(slide.value)); };
document.onkeydown = e => {
  if (e.key === "ArrowRight") show(at + 1);
  else if (e.key === "ArrowLeft") show(at - 1);
  else if (e.key === "Home") show(0);
  else if (e.key === "End") show(last);
  else if (e.key === " ") play();
  else return;
  e.preventDefault();
};
show(0);
</script>
</body>
</html>
"#;
