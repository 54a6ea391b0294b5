//! Random small systems, reproducible by their seed.

use super::shrink::leave_where_no_guard_is_true;
use super::system::{
    Chan, ChanId, Expr, Kind, Language, Loc, Mode, Op, Pattern, Place, Proc, ProcId, Stmt, System, Transition, Var,
    VarId,
};

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() % n as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// A system with what is needed to speak about it.
#[derive(Debug)]
pub struct Generator {
    pub random: Random,
    pub system: System,
    /// Some expressions may have no value: an index out of range, a division by zero.
    pub risky: bool,
    /// So many of a hundred statements are assertions, which may fail.
    asserts: usize,
    /// A process may end, or not.
    ends: bool,
    priorities: bool,
}

/// The name of a variable that nobody changes.
const CONSTANT: &str = "k";

const FEW_ASSERTIONS: usize = 15;

/// With so many, assertions of several processes fail in one state.
const MANY_ASSERTIONS: usize = 45;

/// Values stay below this number.
const VALUES: i64 = 3;

pub fn system(seed: u64) -> Generator {
    let mut random = Random::new(seed);
    let language = match random.below(10) {
        0..6 => Language::Promela,
        6..8 => Language::Dve,
        _ => Language::Esml,
    };
    let risky = random.percent(20);
    let asserts = match random.below(100) {
        _ if language != Language::Promela => 0,
        0..20 => FEW_ASSERTIONS,
        20..30 => MANY_ASSERTIONS,
        _ => 0,
    };
    let ends = random.percent(40);
    let priorities = language == Language::Promela && random.percent(5);
    let system = System { language, vars: Vec::new(), chans: Vec::new(), procs: Vec::new() };
    let mut out = Generator { random, system, risky, asserts, ends, priorities };
    let count = out.random.pick(&[1, 2, 2, 2, 2, 2, 3, 3]);
    out.variables(count);
    out.channels();
    for p in 0..count {
        out.process(p);
    }
    out
}

impl Generator {
    fn variables(&mut self, processes: usize) {
        let esml = self.system.language == Language::Esml;
        let kind = |esml: bool, bit: bool| match (esml, bit) {
            (true, true) => Kind::Range(1),
            (true, false) => Kind::Range(VALUES - 1),
            (false, true) => Kind::Bit,
            (false, false) => Kind::Byte,
        };
        let globals: &[(&str, bool, Option<usize>)] = &[("x", false, None), ("y", true, None), ("a", false, Some(2))];
        let add = |system: &mut System, name: String, bit: bool, array, owner| {
            // DVE has no bits.
            let bit = bit && system.language != Language::Dve;
            system.vars.push(Var { name, kind: kind(esml, bit), array, initial: 0, owner });
        };
        if !esml {
            for (name, bit, array) in globals {
                add(&mut self.system, name.to_string(), *bit, *array, None);
            }
        }
        if !esml && self.random.percent(30) {
            add(&mut self.system, CONSTANT.to_string(), false, None, None);
            let last = self.system.vars.len() - 1;
            self.system.vars[last].initial = self.random.below(VALUES as usize) as i64;
        }
        for p in 0..processes {
            if esml {
                for (name, bit, array) in &globals[..2 + self.random.below(2)] {
                    add(&mut self.system, format!("{name}{p}"), *bit, *array, Some(p));
                }
            } else if self.random.percent(25) {
                add(&mut self.system, "l".to_string(), self.random.percent(50), None, Some(p));
            }
        }
        if self.random.percent(30) && !esml {
            let v = self.random.below(2);
            self.system.vars[v].initial = 1;
        }
    }

    fn channels(&mut self) {
        let esml = self.system.language == Language::Esml;
        if !esml && self.random.percent(45) {
            return;
        }
        for name in ["c", "d"].iter().take(1 + self.random.below(2)) {
            let buffered = !esml && (self.priorities || self.random.percent(50));
            let capacity = if buffered { 1 + self.random.below(2) } else { 0 };
            self.system.chans.push(Chan { name: name.to_string(), capacity, alias: None });
        }
        if self.system.language == Language::Promela && self.random.percent(15) {
            let of = self.random.below(self.system.chans.len());
            let capacity = self.system.chans[of].capacity;
            self.system.chans.push(Chan { name: "g".to_string(), capacity, alias: Some(of) });
        }
    }

    fn process(&mut self, p: ProcId) {
        let name = format!("P{p}");
        if p > 0 && self.system.language == Language::Promela && self.random.percent(30) {
            // Variables of its own would need other numbers.
            if !self.system.vars.iter().any(|v| v.owner == Some(p - 1) || v.owner == Some(p)) {
                let twin = Proc { name, ..self.system.procs[p - 1].clone() };
                self.system.procs.push(twin);
                return;
            }
        }
        let proc = match self.system.language {
            Language::Promela => self.promela(p, name),
            Language::Dve => self.dve(p, name),
            Language::Esml => self.esml(p, name),
        };
        self.system.procs.push(proc);
    }

    fn promela(&mut self, p: ProcId, name: String) -> Proc {
        let count = 1 + self.random.below(4);
        let locs: Vec<Loc> = (0..count).map(|l| self.promela_location(p, l, count)).collect();
        let has_meetings = self.system.chans.iter().any(|c| c.capacity == 0);
        // After a choice inside an atomic sequence SPIN looks at the clause once more, which is not modelled here.
        let is_choice = |s: &Stmt| matches!(s, Stmt::Choice(_));
        let chooses = locs.iter().flat_map(|l| &l.transitions).any(|t| t.body.iter().any(is_choice));
        let provided = !has_meetings && !chooses && !self.priorities && self.random.percent(12);
        let provided = provided.then(|| self.clause());
        let priority = self.priorities.then(|| 1 + self.random.below(3) as i64);
        Proc { name, locs, provided, priority }
    }

    /// A condition of a `provided` clause. It often has no value in some state, also where all other expressions have one: what
    /// else goes wrong would hide that.
    fn clause(&mut self) -> Expr {
        if self.random.percent(50) {
            return self.global_condition();
        }
        let divisor = Expr::Var(self.random.pick(&self.usable(None, false)));
        let value = Expr::Const(self.random.below(VALUES as usize) as i64);
        Expr::bin(self.random.pick(&[Op::Eq, Op::Ne, Op::Lt]), Expr::bin(Op::Div, Expr::Const(2), divisor), value)
    }

    fn promela_location(&mut self, p: ProcId, l: usize, count: usize) -> Loc {
        let options = self.random.pick(&[1, 1, 1, 2, 2, 2, 3]);
        let mut transitions: Vec<Transition> = (0..options).map(|_| self.promela_transition(p, l, count)).collect();
        if self.asserts == MANY_ASSERTIONS && self.random.percent(60) {
            let assertion = Stmt::Assert(self.condition(p));
            let (mode, body) = match self.random.percent(50) {
                true => (Mode::Plain, vec![assertion]),
                false => (Mode::Atomic, vec![self.assignment(p), assertion]),
            };
            transitions.push(Transition { mode, body, target: self.random.below(count) });
        }
        if self.random.percent(12) {
            let body = self.tail(p, Stmt::Else, Mode::Plain);
            transitions.push(Transition { mode: Mode::Plain, body, target: self.random.below(count) });
        }
        Loc {
            accept: self.random.percent(15),
            progress: self.random.percent(15),
            end: self.random.percent(15),
            committed: false,
            transitions,
        }
    }

    fn promela_transition(&mut self, p: ProcId, l: usize, count: usize) -> Transition {
        let mode = match self.random.below(100) {
            0..60 => Mode::Plain,
            60..88 => Mode::Atomic,
            _ => Mode::DStep,
        };
        let first = match self.random.below(100) {
            n if n < self.asserts && mode == Mode::Plain => Stmt::Assert(self.condition(p)),
            0..45 => Stmt::Guard(self.condition(p)),
            45..70 => self.assignment(p),
            _ => self.communication(p, mode),
        };
        let body = self.tail(p, first, mode);
        // Only the last location can lead to the end of the process.
        let last = l + 1 == count && self.ends && self.random.percent(30);
        let target = if last { count } else { self.random.below(count) };
        Transition { mode, body, target }
    }

    /// A statement, and some more after it.
    fn tail(&mut self, p: ProcId, first: Stmt, mode: Mode) -> Vec<Stmt> {
        let more = if mode == Mode::Plain { self.random.pick(&[0, 0, 1]) } else { self.random.pick(&[1, 1, 2]) };
        let mut out = vec![first];
        for _ in 0..more {
            let next = match self.random.below(100) {
                0..15 if mode != Mode::DStep => Stmt::Guard(self.condition(p)),
                15..30 if mode != Mode::DStep => self.communication(p, mode),
                30..45 => Stmt::Choice(vec![vec![self.simple(p, mode)], vec![self.simple(p, mode)]]),
                n if (45..45 + self.asserts).contains(&n) => Stmt::Assert(self.condition(p)),
                _ => self.assignment(p),
            };
            out.push(next);
        }
        out
    }

    fn simple(&mut self, p: ProcId, mode: Mode) -> Stmt {
        if self.random.percent(40) && mode != Mode::DStep { Stmt::Guard(self.condition(p)) } else { self.assignment(p) }
    }

    fn dve(&mut self, p: ProcId, name: String) -> Proc {
        let count = 1 + self.random.below(4);
        let commits = self.random.percent(15);
        let mut locs = vec![Loc::default(); count];
        for (l, loc) in locs.iter_mut().enumerate() {
            loc.committed = commits && l > 0 && self.random.percent(30);
            for _ in 0..self.random.pick(&[1, 1, 2, 2, 3]) {
                loc.transitions.push(self.dve_transition(p, count));
            }
        }
        Proc { name, locs, provided: None, priority: None }
    }

    fn dve_transition(&mut self, p: ProcId, count: usize) -> Transition {
        let mut body = Vec::new();
        if self.random.percent(60) {
            body.push(Stmt::Guard(self.condition(p)));
        }
        if !self.system.chans.is_empty() && self.random.percent(40) {
            body.push(self.communication(p, Mode::Whole));
        }
        if self.random.percent(60) {
            body.push(self.assignment(p));
        }
        Transition { mode: Mode::Whole, body, target: self.random.below(count) }
    }

    /// A loop with guards; see [`super::print`] for its shape.
    fn esml(&mut self, p: ProcId, name: String) -> Proc {
        let mut locs = vec![Loc::default()];
        let branches = 1 + self.random.below(3);
        let plain = |s: Stmt, target: usize| Transition { mode: Mode::Plain, body: vec![s], target };
        for branch in 0..branches {
            let always = branch == 0 && (!self.ends || self.random.percent(50));
            let guard = if always { truth() } else { self.condition(p) };
            let commands = 1 + self.random.below(2);
            let next = locs.len();
            locs[0].transitions.push(plain(Stmt::Guard(guard), next));
            for command in 0..commands {
                self.esml_command(p, &mut locs, command + 1 == commands);
            }
        }
        let end = locs.len();
        locs[0].transitions.push(plain(Stmt::Else, end));
        let mut proc = Proc { name, locs, provided: None, priority: None };
        leave_where_no_guard_is_true(&mut proc);
        proc
    }

    /// Appends the locations of a command.
    fn esml_command(&mut self, p: ProcId, locs: &mut Vec<Loc>, last: bool) {
        let plain = |s: Stmt, target: usize| Transition { mode: Mode::Plain, body: vec![s], target };
        let skip = Stmt::Guard(Expr::Const(1));
        let here = locs.len();
        let loc = |transitions| Loc { transitions, ..Loc::default() };
        let after = |size: usize| if last { 0 } else { here + size };
        match self.random.below(10) {
            0 => locs.push(loc(vec![plain(skip, after(1))])),
            1..4 => locs.push(loc(vec![plain(self.assignment(p), after(1))])),
            4..8 => locs.push(loc(vec![plain(self.communication(p, Mode::Plain), after(1))])),
            _ => {
                let options = [self.communication(p, Mode::Plain), self.communication(p, Mode::Plain)];
                let options = options.into_iter().enumerate().map(|(i, s)| plain(s, here + 1 + i)).collect();
                locs.push(loc(options));
                locs.extend([0, 1].map(|_| loc(vec![plain(skip.clone(), after(3))])));
            }
        }
    }

    /// A receive or a send. In an indivisible step only one that keeps messages will do.
    fn communication(&mut self, p: ProcId, mode: Mode) -> Stmt {
        let usable: Vec<ChanId> = (0..self.system.chans.len())
            .filter(|c| mode != Mode::DStep || self.system.chans[*c].capacity > 0)
            .collect();
        if usable.is_empty() {
            return self.assignment(p);
        }
        let chan = self.random.pick(&usable);
        if self.random.percent(50) {
            let esml = self.system.language == Language::Esml;
            return Stmt::Send(chan, if esml { self.safe_value(p) } else { self.value(p) });
        }
        let pattern = match self.random.below(10) {
            0 if self.system.language == Language::Promela => Pattern::Constant(self.random.below(2) as i64),
            1 if self.system.language == Language::Promela => Pattern::Eval(self.value(p)),
            2 if self.system.language == Language::Promela => Pattern::Any,
            _ => Pattern::Store(self.place(p)),
        };
        Stmt::Receive(chan, pattern)
    }

    /// The variables that a process can use.
    fn usable(&self, p: Option<ProcId>, array: bool) -> Vec<VarId> {
        let vars = self.system.vars.iter().enumerate();
        vars.filter(|(_, v)| (v.owner.is_none() || v.owner == p) && v.array.is_some() == array)
            .map(|(i, _)| i)
            .collect()
    }

    /// Those of them that it may change.
    fn writable(&self, p: ProcId, array: bool) -> Vec<VarId> {
        let mut out = self.usable(Some(p), array);
        out.retain(|v| self.system.vars[*v].name != CONSTANT);
        out
    }

    fn place(&mut self, p: ProcId) -> Place {
        let arrays = self.writable(p, true);
        if !arrays.is_empty() && self.random.percent(20) {
            let var = self.random.pick(&arrays);
            return Place { var, index: Some(self.index(Some(p))) };
        }
        Place { var: self.random.pick(&self.writable(p, false)), index: None }
    }

    /// An index of an array with two elements.
    fn index(&mut self, p: Option<ProcId>) -> Expr {
        let var = Expr::Var(self.random.pick(&self.usable(p, false)));
        match self.random.below(3) {
            0 if self.risky => var,
            0 | 1 => Expr::bin(Op::Mod, var, Expr::Const(2)),
            _ => Expr::Const(self.random.below(2) as i64),
        }
    }

    fn assignment(&mut self, p: ProcId) -> Stmt {
        let place = self.place(p);
        let is_bit = matches!(self.system.vars[place.var].kind, Kind::Bit | Kind::Range(1));
        let value = match (is_bit, self.random.below(3)) {
            (true, 0) => {
                let own = if place.index.is_none() { Expr::Var(place.var) } else { Expr::Const(1) };
                Expr::bin(Op::Sub, Expr::Const(1), own)
            }
            (true, _) => Expr::Const(self.random.below(2) as i64),
            (false, 0) => {
                let own = if place.index.is_none() { Expr::Var(place.var) } else { Expr::Const(0) };
                Expr::bin(Op::Mod, Expr::bin(Op::Add, own, Expr::Const(1)), Expr::Const(VALUES))
            }
            (false, 1) => self.value(p),
            (false, _) => Expr::Const(self.random.below(VALUES as usize) as i64),
        };
        Stmt::Assign(place, value)
    }

    /// Something below [`VALUES`].
    fn value(&mut self, p: ProcId) -> Expr {
        self.number(Some(p), self.risky)
    }

    fn safe_value(&mut self, p: ProcId) -> Expr {
        self.number(Some(p), false)
    }

    fn number(&mut self, p: Option<ProcId>, risky: bool) -> Expr {
        let vars = self.usable(p, false);
        let arrays = self.usable(p, true);
        match self.random.below(10) {
            0..3 => Expr::Const(self.random.below(VALUES as usize) as i64),
            3 if !arrays.is_empty() => {
                let array = self.random.pick(&arrays);
                let safe = std::mem::replace(&mut self.risky, risky);
                let index = self.index(p);
                self.risky = safe;
                Expr::Elem(array, Box::new(index))
            }
            4 if risky => Expr::bin(Op::Div, Expr::Const(2), Expr::Var(self.random.pick(&vars))),
            5 if risky && self.system.language == Language::Promela => Expr::Cond(
                Box::new(Expr::bin(Op::Eq, Expr::Var(self.random.pick(&vars)), Expr::Const(0))),
                Box::new(Expr::Const(1)),
                Box::new(Expr::bin(Op::Mod, Expr::Const(2), Expr::Var(self.random.pick(&vars)))),
            ),
            _ => Expr::Var(self.random.pick(&vars)),
        }
    }

    /// A condition on what a process can see.
    fn condition(&mut self, p: ProcId) -> Expr {
        self.comparison(Some(p), 20)
    }

    fn global_condition(&mut self) -> Expr {
        self.comparison(None, 10)
    }

    /// `joined`: in so many of a hundred cases, two of them with `&&` or `||`.
    fn comparison(&mut self, p: Option<ProcId>, joined: usize) -> Expr {
        if self.random.percent(joined) {
            let (a, b) = (self.comparison(p, 0), self.comparison(p, 0));
            return Expr::bin(self.random.pick(&[Op::And, Op::Or]), a, b);
        }
        let chans = self.system.chans.len();
        let left = if self.system.language == Language::Promela && chans > 0 && self.random.percent(15) {
            Expr::Len(self.random.below(chans))
        } else {
            self.number(p, self.risky)
        };
        let right = Expr::Const(self.random.below(VALUES as usize) as i64);
        Expr::bin(self.random.pick(&[Op::Eq, Op::Eq, Op::Ne, Op::Lt]), left, right)
    }

    /// A condition on a state, as it is asked about from outside.
    pub fn proposition(&mut self) -> Expr {
        let procs = self.system.procs.len();
        let p = self.random.below(procs);
        if self.system.language == Language::Esml {
            return self.comparison(Some(p), 20);
        }
        if self.random.percent(20) {
            let loc = self.random.below(self.system.procs[p].locs.len());
            return Expr::At(p, loc);
        }
        // Variables of a process that may be gone are not asked about.
        let lasts = self.system.language == Language::Dve || !self.ends;
        let p = (lasts && self.random.percent(30)).then_some(p);
        self.comparison(p, 20)
    }
}

/// What is always true, as a comparison.
fn truth() -> Expr {
    Expr::bin(Op::Eq, Expr::Const(0), Expr::Const(0))
}
