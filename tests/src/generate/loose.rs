//! Making programs whose processes have little to do with each other, so that there is something to leave out: a ring of
//! processes, each with a channel to the next, variables of its own, and now and then something that all share.

use super::{Node, Program, Random};

struct Maker {
    random: Random,
    /// How many processes there are, and the one at hand.
    count: usize,
    process: usize,
    /// Of the channel to the next process each.
    capacities: Vec<usize>,
    in_loop: bool,
    /// In an atomic sequence.
    atomic: bool,
}

/// Questions about these programs, for formulas.
const QUESTIONS: [&str; 8] =
    ["(a == 1)", "(g0 > 0)", "(g1 == 2)", "(n != 0)", "(len(c0) == 0)", "(a == g0)", "(p0@L)", "(arr[1] == 1)"];

pub fn loose(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x1005_e000);
    let count = 2 + random.below(3);
    let capacities: Vec<usize> = (0..count).map(|_| random.below(3)).collect();
    let mut declarations = String::from("byte a, n, g0, g1, g2, g3; byte arr[4]; chan s = [1] of { byte };\n");
    for (i, capacity) in capacities.iter().enumerate() {
        declarations.push_str(&format!("chan c{i} = [{capacity}] of {{ byte }}; "));
    }
    let mut maker = Maker { random, count, process: 0, capacities, in_loop: false, atomic: false };
    Program { declarations, processes: (0..count).map(|n| maker.process(n)).collect() }
}

/// A formula about such a program that does not count steps.
pub fn formula(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x000f_0421);
    let (p, q) = (random.one_of(&QUESTIONS), random.one_of(&QUESTIONS));
    match random.below(9) {
        0 => format!("[] !{p}"),
        1 => format!("<> {p}"),
        2 => format!("[] <> {p}"),
        3 => format!("<> [] {p}"),
        4 => format!("{p} U {q}"),
        5 => format!("[] ({p} -> <> {q})"),
        6 => format!("[] <> {p} -> [] <> {q}"),
        7 => format!("!{p} U ({q} || [] !{p})"),
        _ => format!("<> ({p} && <> {q})"),
    }
}

/// A condition about such a program.
pub fn condition(seed: u64) -> &'static str {
    Random::new(seed ^ 0x00c0_0d17).one_of(&QUESTIONS)
}

impl Maker {
    fn process(&mut self, n: usize) -> Node {
        self.process = n;
        let provided = if self.random.one_in(25) { " provided (a < 3)" } else { "" };
        let body = self.statements(2, 2);
        let label = self.label();
        let first = Node::tree(format!("L: {label}"), vec![vec![self.statement(1)]], "", "");
        let mut whole = vec![first];
        whole.extend(body);
        if self.random.one_in(20) {
            whole.push(Node::leaf("run child(1)"));
        }
        let open = format!("active proctype p{n}(){provided} {{ byte x, y; ");
        if self.random.one_in(2) {
            whole.push(Node::leaf("goto L"));
        }
        let child = if n == 0 { "proctype child(byte z) { byte x = z; g3 = x; c0!z }\n" } else { "" };
        Node::tree(format!("{child}{open}"), vec![whole], "", " }")
    }

    fn label(&mut self) -> &'static str {
        self.random.one_of(&["", "", "", "accept_0: ", "progress_0: ", "end_0: "])
    }

    fn statements(&mut self, depth: usize, least: usize) -> Vec<Node> {
        let length = least + self.random.below(3);
        (0..length).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Node {
        if depth > 0 && self.random.one_in(3) {
            return self.compound(depth - 1);
        }
        let own = self.process;
        match self.random.below(20) {
            0..=3 => Node::leaf(self.random.one_of(&["x = (x + 1) % 3", "y = x", "x = 0", "y = 1 - (y > 0)", "skip"])),
            4 | 5 => {
                let value = self.random.one_of(&["1", "2", "x", "0"]);
                Node::leaf(format!("g{own} = {value}"))
            }
            6 => Node::leaf(self.random.one_of(&["a = 1", "a = 0", "a = (a + x) % 3", "s!1", "s?x", "s?1"])),
            7 if !self.in_loop => Node::leaf(self.random.one_of(&["n++", "n = n + 2", "n--"])),
            8 => Node::leaf(format!("arr[{own}] = (arr[{own}] + 1) % 2")),
            9..=11 => self.send(),
            12..=14 => self.receive(),
            15 | 16 => Node::leaf(format!("({})", self.guard())),
            17 => {
                let what = self.random.one_of(&["x < 2", "a != 1", "g0 < 2", "g1 != 1", "n < 3", "len(c0) < 2"]);
                Node::leaf(format!("assert({what})"))
            }
            18 if self.in_loop && !self.atomic => Node::leaf("break"),
            18 => Node::leaf(self.random.one_of(&["timeout", "x = 6 / (2 - x)", "arr[x] = 0"])),
            _ => Node::leaf(format!("x = g{own}")),
        }
    }

    fn compound(&mut self, depth: usize) -> Node {
        match self.random.below(if self.atomic { 3 } else { 8 }) {
            0..=2 => self.choice(depth),
            3 | 4 => {
                let outside = std::mem::replace(&mut self.in_loop, true);
                let mut options = self.options(depth);
                self.in_loop = outside;
                if self.random.one_in(2) {
                    options.push(vec![Node::leaf("break")]);
                }
                let label = self.random.one_of(&["", "", "accept_1: ", "progress_1: ", "end_1: "]);
                // A process has each label once at most.
                let label = if depth == 1 { label } else { "" };
                let label = if label.is_empty() {
                    String::new()
                } else {
                    label.replace('1', &self.random.next_u64().to_string())
                };
                Node::tree(format!("{label}do :: "), options, " :: ", " od")
            }
            5 => {
                let outside = std::mem::replace(&mut self.atomic, true);
                let body = self.statements(depth, 2);
                self.atomic = outside;
                Node::tree("atomic { ", vec![body], "", " }")
            }
            6 => {
                let own = self.process;
                let first = self.random.one_of(&["x = 1", "(x == 0)", "a = 2", "(a < 2)"]);
                let body = vec![Node::leaf(first), Node::leaf(format!("g{own} = x")), Node::leaf("x = 0")];
                Node::tree("d_step { ", vec![body], "", " }")
            }
            _ => {
                let main = self.statements(depth, 1);
                let escape = Node::leaf(self.random.one_of(&["(a == 2)", "s?x", "(n > 1)", "timeout"]));
                Node::tree("{ ", vec![main, vec![escape, Node::leaf("y = 0")]], " } unless { ", " }")
            }
        }
    }

    fn choice(&mut self, depth: usize) -> Node {
        let mut options = self.options(depth);
        if self.random.one_in(3) {
            options.push(vec![Node::leaf("else"), self.statement(0)]);
        }
        Node::tree("if :: ", options, " :: ", " fi")
    }

    fn options(&mut self, depth: usize) -> Vec<Vec<Node>> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statements(depth, 1)).collect()
    }

    /// Mostly to the next process.
    fn send(&mut self) -> Node {
        let to = if self.random.one_in(10) { self.random.below(self.count) } else { self.process };
        let how = if self.capacities[to] > 0 && self.random.one_in(5) { "!!" } else { "!" };
        let value = self.random.one_of(&["1", "2", "x", "a"]);
        Node::leaf(format!("c{to}{how}{value}"))
    }

    /// Mostly from the one before.
    fn receive(&mut self) -> Node {
        let before = (self.process + self.count - 1) % self.count;
        let from = if self.random.one_in(10) { self.random.below(self.count) } else { before };
        let buffered = self.capacities[from] > 0;
        let ways = ["?x", "?y", "?1", "?_", "?eval(x)", "??2", "?<y>", "??<x>"];
        let how = self.random.one_of(&ways[..if buffered { ways.len() } else { 5 }]);
        Node::leaf(format!("c{from}{how}"))
    }

    fn guard(&mut self) -> String {
        let (own, other) = (self.process, self.random.below(self.count));
        let sized = self.capacities[other] > 0;
        match self.random.below(12) {
            0..=3 => "x > 0".to_string(),
            4 => format!("g{own} != 1"),
            5 => format!("g{other} == 0"),
            6 => "a < 2".to_string(),
            7 if sized => format!("len(c{other}) > 0"),
            8 if sized => format!("nfull(c{other})"),
            9 if sized => format!("c{other}?[1]"),
            10 if self.process > 0 => "p0@L".to_string(),
            11 if self.random.one_in(4) => "_nr_pr > 2".to_string(),
            _ => "n == 0".to_string(),
        }
    }
}
