//! A state of a system, and the values of expressions in it.

use super::system::{Expr, Kind, Language, Op, Place, System, VarId};

/// Something that has no meaning: an index out of range, a division by zero, a value that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The values of all variables, arrays element by element.
    pub values: Vec<i64>,
    /// Where each process is, as a location of its [`super::automaton::Automaton`].
    pub at: Vec<usize>,
    /// The messages in each channel, the oldest first.
    pub queues: Vec<Vec<i64>>,
}

impl State {
    pub fn first(system: &System) -> State {
        let values = system.vars.iter().flat_map(|v| vec![v.initial; v.array.unwrap_or(1)]).collect();
        State { values, at: vec![0; system.procs.len()], queues: vec![Vec::new(); system.chans.len()] }
    }

    pub fn eval(&self, system: &System, e: &Expr) -> Result<i64, Fault> {
        Ok(match e {
            Expr::Const(n) => *n,
            Expr::Var(v) => self.values[slot(system, *v, None)?],
            Expr::Elem(v, index) => self.values[slot(system, *v, Some(self.eval(system, index)?))?],
            Expr::Not(a) => i64::from(self.eval(system, a)? == 0),
            Expr::Bin(op, a, b) => return self.binary(system, *op, a, b),
            Expr::Cond(c, a, b) => {
                let branch = if self.eval(system, c)? != 0 { a } else { b };
                return self.eval(system, branch);
            }
            Expr::Len(c) => self.queues[system.channel(*c)].len() as i64,
            Expr::At(p, l) => i64::from(self.at[*p] == *l),
        })
    }

    /// `&&` and `||` look at their right side only if the left one does not decide.
    fn binary(&self, system: &System, op: Op, a: &Expr, b: &Expr) -> Result<i64, Fault> {
        let a = self.eval(system, a)?;
        match op {
            Op::And if a == 0 => return Ok(0),
            Op::Or if a != 0 => return Ok(1),
            _ => {}
        }
        let b = self.eval(system, b)?;
        Ok(match op {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div | Op::Mod if b == 0 => return Err(Fault),
            Op::Div if system.language == Language::Esml => a.div_euclid(b),
            Op::Mod if system.language == Language::Esml => a.rem_euclid(b),
            Op::Div => a / b,
            Op::Mod => a % b,
            Op::Eq => i64::from(a == b),
            Op::Ne => i64::from(a != b),
            Op::Lt => i64::from(a < b),
            Op::And | Op::Or => i64::from(b != 0),
        })
    }

    pub fn holds(&self, system: &System, e: &Expr) -> Result<bool, Fault> {
        Ok(self.eval(system, e)? != 0)
    }

    /// The slot that a place means.
    pub fn resolve(&self, system: &System, place: &Place) -> Result<usize, Fault> {
        let index = place.index.as_ref().map(|e| self.eval(system, e)).transpose()?;
        slot(system, place.var, index)
    }

    pub fn store(&mut self, system: &System, place: &Place, value: i64) -> Result<(), Fault> {
        let slot = self.resolve(system, place)?;
        self.values[slot] = fit(system, place.var, value)?;
        Ok(())
    }
}

/// Where in [`State::values`] a variable is, or an element of it.
fn slot(system: &System, var: VarId, index: Option<i64>) -> Result<usize, Fault> {
    let size = system.vars[var].array.unwrap_or(1) as i64;
    let index = index.unwrap_or(0);
    if index < 0 || index >= size {
        return Err(Fault);
    }
    Ok(system.offsets()[var] + index as usize)
}

/// What becomes of a value that is stored in a variable.
fn fit(system: &System, var: VarId, value: i64) -> Result<i64, Fault> {
    let last = match system.vars[var].kind {
        // Elements of a bit array are bytes.
        Kind::Bit if system.vars[var].array.is_none() => 1,
        Kind::Bit | Kind::Byte => 255,
        Kind::Range(last) => last,
    };
    match system.language {
        Language::Promela => Ok(value & last),
        _ if (0..=last).contains(&value) => Ok(value),
        _ => Err(Fault),
    }
}
