//! Making programs: small, busy, and full of the constructs that interact.
//!
//! Values stay below 4 so that state spaces stay small. Loops and jumps never occur inside atomic sequences, where they
//! could go on for ever without a stored state, and never in d_steps.

use super::{Node, Program, Random};

/// Where a statement stands, which limits what it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Free,
    Atomic,
    Deterministic,
}

struct Maker {
    random: Random,
    /// Processes have priorities. SPIN allows no rendezvous then.
    priorities: bool,
    /// No channel is a rendezvous channel, so sorted sends and the like are allowed.
    buffered: bool,
    /// How many labels the process at hand has.
    labels: usize,
    /// A loop is around the statement being made.
    in_loop: bool,
    /// The number of the process at hand.
    process: usize,
    /// Variables declared in the middle of things so far; each needs a name of its own.
    declared: usize,
}

pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let priorities = random.one_in(8);
    let buffered = priorities || random.one_in(3);
    let mut capacity = || if buffered { 1 + random.below(2) } else { random.below(2) };
    let (c, d) = (capacity(), capacity());
    let declarations = format!(
        "mtype = {{ m0, m1 }};\n\
         byte a, b; bit f; byte arr[2];\n\
         chan c = [{c}] of {{ byte }}; chan d = [{d}] of {{ mtype, byte }};\n\
         proctype child(byte z) {{ byte x = z; b = x; a = (a + z) % 3 }}"
    );
    let count = 2 + random.below(2);
    let mut maker = Maker { random, priorities, buffered, labels: 0, in_loop: false, process: 0, declared: 0 };
    Program { declarations, processes: (0..count).map(|n| maker.process(n)).collect() }
}

impl Maker {
    fn process(&mut self, n: usize) -> Node {
        let priority = if self.priorities { format!(" priority {}", 1 + self.random.below(3)) } else { String::new() };
        let provided = if self.random.one_in(8) { format!(" provided ({})", self.guard()) } else { String::new() };
        // Others ask where process 0 is.
        self.labels = if n == 0 { 2 } else { self.random.below(3) };
        self.process = n;
        let mut body = Vec::new();
        for i in 0..2 + self.random.below(3) {
            let statement = self.statement(2, Place::Free);
            body.push(if i < self.labels { self.labelled(i, statement) } else { statement });
        }
        if self.random.one_in(5) {
            body.push(Node::leaf(self.random.one_of(&[
                "run child(1)",
                "x = run child(a)",
                "atomic { run child(1); run child(2) }",
            ])));
        }
        let open = format!("active proctype p{n}(){priority}{provided} {{ byte x, y = 1; ");
        Node::tree(open, vec![body], "", " }")
    }

    fn labelled(&mut self, i: usize, statement: Node) -> Node {
        let end = if self.random.one_in(3) { format!("end{i}: ") } else { String::new() };
        Node::tree(format!("{end}L{i}: "), vec![vec![statement]], "", "")
    }

    fn statements(&mut self, depth: usize, place: Place) -> Vec<Node> {
        let length = 1 + self.random.below(3);
        (0..length).map(|_| self.statement(depth, place)).collect()
    }

    fn statement(&mut self, depth: usize, place: Place) -> Node {
        if depth > 0 && self.random.one_in(2) {
            return self.compound(depth - 1, place);
        }
        match self.random.below(if place == Place::Deterministic { 5 } else { 16 }) {
            0..=2 => self.assignment(),
            3 => Node::leaf(self.random.one_of(&["skip", "printf(\"x\\n\")", "b = _pid", "x = _nr_pr"])),
            4 => {
                Node::leaf(format!("assert({})", self.random.one_of(&["a != 2", "b < 3", "f == 0 || x != 1", "true"])))
            }
            5..=6 => Node::leaf(format!("({})", self.guard())),
            7..=9 => self.receive(),
            10..=12 => self.send(),
            13 if place == Place::Free && self.labels > 0 => {
                let label = self.random.below(self.labels);
                Node::leaf(format!("goto L{label}"))
            }
            14 if place == Place::Free && self.in_loop => Node::leaf("break"),
            14 => self.declaration(),
            15 => {
                Node::leaf(self.random.one_of(&["timeout", "(a == 0 || timeout)", "arr[f] = 1", "arr[x % 2] = y % 4"]))
            }
            _ => self.assignment(),
        }
    }

    fn compound(&mut self, depth: usize, place: Place) -> Node {
        match (place, self.random.below(10)) {
            (Place::Deterministic, _) => {
                let otherwise = vec![Node::leaf("else"), self.assignment()];
                let mut first = vec![Node::leaf(format!("({})", self.guard()))];
                first.extend(self.statements(0, place));
                Node::tree("if :: ", vec![first, otherwise], " :: ", " fi")
            }
            (_, 0..=2) => self.choice(depth, place),
            (Place::Free, 3) => {
                let outside = std::mem::replace(&mut self.in_loop, true);
                let mut options = self.options(depth, place);
                self.in_loop = outside;
                options.push(vec![Node::leaf("break")]);
                Node::tree("do :: ", options, " :: ", " od")
            }
            (_, 3 | 4) => Node::tree("atomic { ", vec![self.statements(depth, Place::Atomic)], "", " }"),
            (_, 5) => {
                let guard = Node::leaf(format!("({})", self.guard()));
                let mut body = if self.random.one_in(2) { vec![guard] } else { vec![self.assignment()] };
                body.extend(self.statements(depth, Place::Deterministic));
                Node::tree("d_step { ", vec![body], "", " }")
            }
            (_, 6) => {
                let main = self.statements(depth, place);
                let escape =
                    Node::leaf(self.random.one_of(&["(a == 2)", "c?x", "f == 1", "c!1", "d?m1(x)", "timeout"]));
                let mut escapes = vec![escape];
                escapes.extend(self.statements(0, place));
                Node::tree("{ ", vec![main, escapes], " } unless { ", " }")
            }
            (_, 7) => {
                let open = self.random.one_of(&["for (x : 0 .. 1) { ", "for (x : 1 .. y) { ", "for (x in arr) { "]);
                Node::tree(open, vec![vec![self.assignment()]], "", " }")
            }
            (_, 8) => Node::tree("{ ", vec![self.statements(depth, place)], "", " }"),
            _ => Node::leaf(self.random.one_of(&["select (x : 0 .. 2)", "select (y : 0 .. a)", "select (a : 1 .. 2)"])),
        }
    }

    fn choice(&mut self, depth: usize, place: Place) -> Node {
        let mut options = self.options(depth, place);
        if self.random.one_in(3) {
            let mut otherwise = vec![Node::leaf("else")];
            otherwise.extend(self.statements(0, place));
            options.push(otherwise);
        }
        Node::tree("if :: ", options, " :: ", " fi")
    }

    fn options(&mut self, depth: usize, place: Place) -> Vec<Vec<Node>> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statements(depth, place)).collect()
    }

    fn assignment(&mut self) -> Node {
        let left = self.random.one_of(&["a", "b", "f", "x", "y", "arr[0]", "arr[1]"]);
        let value = self.value();
        Node::leaf(format!("{left} = ({value}) % 4"))
    }

    fn value(&mut self) -> String {
        let leaf = ["0", "1", "2", "a", "b", "f", "x", "y", "arr[1]", "len(c)"];
        let (l, r) = (self.random.one_of(&leaf), self.random.one_of(&leaf));
        match self.random.below(7) {
            0 => format!("{l} + {r}"),
            1 => format!("{l} * {r} + 1"),
            2 => format!("({l} > {r} -> {r} : 3)"),
            3 => format!("{l} ^ {r}"),
            _ => l.to_string(),
        }
    }

    fn declaration(&mut self) -> Node {
        self.declared += 1;
        let n = self.declared;
        let start = self.random.one_of(&["", " = 1", " = a"]);
        Node::leaf(format!("skip; byte t{n}{start}; b = (t{n} + 1) % 3"))
    }

    fn guard(&mut self) -> String {
        if self.process > 0 && self.random.one_in(10) {
            return self.random.one_of(&["p0@L0", "p0[0]@L1", "!(p0@L1)", "p0:x == 1"]).to_string();
        }
        let left = self.random.one_of(&["a", "b", "f", "arr[0]", "len(d)", "_nr_pr", "_last"]);
        let operator = self.random.one_of(&["==", "!=", "<=", ">"]);
        let right = self.random.below(3);
        format!("{left} {operator} {right}")
    }

    fn send(&mut self) -> Node {
        let sends = ["c!1", "c!a", "c!2", "d!m0(a)", "d!m1(1)", "d!m1,f", "c!!b", "d!!m0(y)"];
        // A sorted send on a rendezvous channel would be refused.
        let count = if self.buffered { sends.len() } else { 6 };
        Node::leaf(self.random.one_of(&sends[..count]))
    }

    fn receive(&mut self) -> Node {
        let receives =
            ["c?x", "c?1", "c?a", "c?eval(a)", "d?m0(x)", "d?m1(y)", "d?m1(_)", "c?_", "c??1", "d??m1(x)", "c?<y>"];
        // Random receives and copies are for buffers.
        let count = if self.buffered { receives.len() } else { 8 };
        Node::leaf(self.random.one_of(&receives[..count]))
    }
}
