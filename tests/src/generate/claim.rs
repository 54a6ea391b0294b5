//! Making claims about random programs.

use super::{Node, Program, Random};

/// Questions about the programs that [`super::program`] makes; `timeout` is the last.
const QUESTIONS: [&str; 15] = [
    "a == 1",
    "b > 0",
    "f",
    "arr[0] == arr[1]",
    "p0@L0",
    "p0[0]@L1",
    "p0:y == 1",
    "len(c) == 1",
    "empty(d)",
    "nfull(d)",
    "w == 0",
    "np_",
    "_last == 1",
    "!(a == b)",
    "timeout",
];

/// The program with a claim about it. Half of them have a process that never rests. The others may come to rest, where
/// SPIN has rules of its own: it leaves out the first state of the claim then, so the claim may stay wherever it is;
/// it removes a claim that has come to its end, so this one doesn't; and it knows `timeout` in claims only if some
/// process has it, so one has.
pub fn with_claim(mut program: Program, seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x00c1_a133);
    let rests = random.one_in(2);
    program.declarations.push_str("\nbyte w;");
    let body = if rests { "timeout; b = 3" } else { "do :: b < 200 od" };
    program.processes.push(Node::leaf(format!("active proctype helper() {{ {body} }}")));
    let mut maker = Maker { locations: 1 + random.below(4), random, rests };
    let locations = (0..maker.locations).map(|n| maker.location(n)).collect();
    program.processes.push(Node::tree("never { ", vec![locations], "", " }"));
    program
}

struct Maker {
    random: Random,
    locations: usize,
    rests: bool,
}

impl Maker {
    fn name(n: usize) -> String {
        if n == 2 { "accept_2".to_string() } else { format!("S{n}") }
    }

    fn location(&mut self, n: usize) -> Node {
        let name = Self::name(n);
        let mut options: Vec<Vec<Node>> = (0..1 + self.random.below(3)).map(|_| self.option()).collect();
        if self.rests {
            options.push(vec![Node::leaf(format!("true -> goto {name}"))]);
        } else if self.random.one_in(2) {
            let target = Self::name(self.random.below(self.locations));
            options.push(vec![Node::leaf(format!("else -> goto {target}"))]);
        }
        Node::tree(format!("{name}: if :: "), options, " :: ", " fi")
    }

    fn option(&mut self) -> Vec<Node> {
        // Inside an atomic sequence SPIN takes `timeout` to be true.
        let (first, second) = (self.question(self.rests), self.question(false));
        let step = match self.random.below(12) {
            0 => format!("atomic {{ {first} -> {second} }}"),
            1 => format!("atomic {{ {first} -> if :: {second} :: else -> b == 0 fi }}"),
            2 => format!("atomic {{ {first} -> assert({second}) }}"),
            3 => "assert(a < 3)".to_string(),
            4 => "w = (w + 1) % 3".to_string(),
            5 => "true".to_string(),
            _ => first.to_string(),
        };
        // Without a jump it goes on to the next location, and from the last one to its end.
        let jumps = self.rests || !self.random.one_in(5);
        let target = Self::name(self.random.below(self.locations));
        vec![Node::leaf(if jumps { format!("{step} -> goto {target}") } else { step })]
    }

    fn question(&mut self, timeout: bool) -> &'static str {
        QUESTIONS[self.random.below(QUESTIONS.len() - usize::from(!timeout))]
    }
}
