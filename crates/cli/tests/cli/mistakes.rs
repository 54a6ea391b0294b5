//! Classic mistakes of students: each gives a message that names it.

use crate::program::Desk;
use crate::snapshots::snapshot;

/// The name of each mistake, a model that has it, and the exit status.
const MISTAKES: [(&str, &str, i32); 15] = [
    (
        "assignment-as-guard",
        "byte x;\nactive proctype p() {\n  if\n  :: x = 1 -> x = 2\n  :: else -> skip\n  fi\n}\n",
        0,
    ),
    ("for-of-c", "byte i, s;\nactive proctype p() {\n  for (i = 0; i < 3; i++) {\n    s = s + i\n  }\n}\n", 2),
    (
        "for-of-c-declared",
        "byte s;\nactive proctype p() {\n  for (int i = 0; i < 3; i++) {\n    s = s + i\n  }\n}\n",
        2,
    ),
    ("compound-assignment", "byte x;\nactive proctype p() {\n  x += 2\n}\n", 2),
    ("missing-od", "byte x;\nactive proctype p() {\n  do\n  :: x < 3 -> x++\n  :: else -> break\n}\n", 2),
    ("equal-in-condition", "byte x;\nactive proctype p() {\n  (x = 1) -> x = 2\n}\n", 2),
    ("if-of-c", "byte x;\nactive proctype p() {\n  if (x == 1) { x = 2 } else { x = 3 }\n}\n", 2),
    (
        "no-atomic-update",
        "byte n, done;\nactive [2] proctype p() {\n  byte t;\n  t = n;\n  n = t + 1;\n  done++\n}\n\
         active proctype judge() {\n  done == 2;\n  assert(n == 2)\n}\n",
        1,
    ),
    (
        "no-atomic-test",
        "bool busy;\nbyte inside;\nactive [2] proctype p() {\n  !busy;\n  busy = true;\n  inside++;\n  assert(inside == 1);\n  inside--;\n  busy = false\n}\n",
        1,
    ),
    (
        "starvation",
        "bool served;\nactive proctype noise() {\n  bit x;\n  do\n  :: x = 1 - x\n  od\n}\n\
         active proctype client() { served = true }\nltl live { <> served }\n",
        1,
    ),
    (
        "end-label-in-upper-case",
        "chan c = [0] of { byte };\nactive proctype server() {\n  byte x;\nEnd:\n  do\n  :: c?x\n  od\n}\n\
         active proctype client() { c!1 }\n",
        1,
    ),
    (
        "end-label-elsewhere",
        "chan c = [0] of { byte };\nactive proctype server() {\n  byte x;\nend:\n  c?x;\n  c?x\n}\nactive proctype client() { c!1 }\n",
        1,
    ),
    (
        "vacuous-formula",
        "bool request, served;\nactive proctype server() {\n  do\n  :: request -> served = true; request = false\n  :: !request -> served = false\n  od\n}\n\
         ltl answered { [] (request -> <> served) }\n",
        0,
    ),
    ("overflow-of-a-constant", "byte n = 300;\nactive proctype p() {\n  assert(n < 256)\n}\n", 0),
    (
        "overflow-of-a-counter",
        "byte n = 250, i;\nactive proctype p() {\n  for (i : 1 .. 10) {\n    n++\n  }\n  assert(n > 250)\n}\n",
        1,
    ),
];

#[test]
fn classic_mistakes_are_named() {
    let desk = Desk::new();
    for (name, text, status) in MISTAKES {
        desk.write("m.pml", text);
        let said = desk.run("m.pml -j1 --no-trail").expect(status);
        snapshot(&format!("mistake-{name}.txt"), &format!("{}{}", said.err, said.steady()));
    }
}

/// A choice of values, and a label that a `goto` names, are no mistakes.
#[test]
fn idioms_are_no_mistakes() {
    let desk = Desk::new();
    desk.write("m.pml", "byte x;\nactive proctype p() {\n  if\n  :: x = 1 -> skip\n  :: x = 2 -> skip\n  fi;\n  if\n  :: x = 1\n  :: x == 2\n  fi;\n  goto End;\nEnd:\n  skip\n}\n");
    assert_eq!(desk.run("m.pml").expect(0).err, "");
}
