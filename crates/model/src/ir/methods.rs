//! Lookups and constructors of the IR's types.

use std::fmt;

use super::{BinaryOp, Expr, Model, Place, Process, ProcessId, Shows, Span, Type, VarId, VarRef};

impl Model {
    /// A process type by its id. The id after the last one is the observer's automaton.
    ///
    /// # Panics
    /// If there is no such process type.
    pub fn process(&self, id: ProcessId) -> &Process {
        match (self.processes.get(id.index()), &self.observer) {
            (Some(process), _) => process,
            (None, Some(observer)) => &observer.automaton,
            (None, None) => panic!("no process type {id:?}"),
        }
    }

    /// Whether the observer or the goal reads `timeout` or `enabled`.
    pub fn asks_timeout(&self) -> bool {
        let mut asks = false;
        let mut see = |e: &Expr| asks |= matches!(e, Expr::Timeout | Expr::Enabled(_));
        self.observer.iter().for_each(|o| o.automaton.walk(&mut see));
        self.goal.iter().for_each(|g| g.condition.walk(&mut see));
        asks && self.uses_timeout
    }

    /// The id of the observer's automaton in [`Model::process`].
    pub fn observer_id(&self) -> ProcessId {
        ProcessId(self.processes.len() as u32)
    }
}

impl Type {
    /// A type whose values are shown as decimal numbers.
    pub const fn number(bits: u8, signed: bool) -> Type {
        Type { bits, signed, shows: Shows::Number }
    }

    /// The value a store of `v` leaves behind.
    #[inline]
    pub fn wrap(self, v: i32) -> i32 {
        let shift = 32 - u32::from(self.bits);
        if self.signed { (v << shift) >> shift } else { (((v as u32) << shift) >> shift) as i32 }
    }
}

impl Place {
    /// A scalar global variable.
    pub fn global(var: VarId) -> Place {
        Place { var: VarRef::Global(var), index: Vec::new() }
    }

    /// A scalar local variable of the executing process.
    pub fn local(var: VarId) -> Place {
        Place { var: VarRef::Local(var), index: Vec::new() }
    }
}

impl Expr {
    /// The expression that applies an operator to two operands.
    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}
