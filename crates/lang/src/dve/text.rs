//! Syntax back to text, on one line: what traces show.

use std::fmt::{self, Display, Formatter};

use kripke_model::ir::UnaryOp;

use super::ast::{Assignment, Expr, ExprKind, Sync, Transition};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Number(n) => write!(f, "{n}"),
            ExprKind::Name(name) => f.write_str(&name.text),
            ExprKind::Element(name, index) => write!(f, "{}[{index}]", name.text),
            ExprKind::At(process, state) => write!(f, "{}.{}", process.text, state.text),
            ExprKind::Remote(process, name, None) => write!(f, "{}->{}", process.text, name.text),
            ExprKind::Remote(process, name, Some(index)) => write!(f, "{}->{}[{index}]", process.text, name.text),
            ExprKind::Unary(UnaryOp::Not, operand) => write!(f, "not {operand}"),
            ExprKind::Unary(op, operand) => write!(f, "{}{operand}", op.symbol()),
            ExprKind::Binary(op, a, b) => write!(f, "{a} {} {b}", op.symbol()),
            ExprKind::Imply(a, b) => write!(f, "{a} imply {b}"),
            ExprKind::Group(inner) => write!(f, "({inner})"),
        }
    }
}

impl Display for Sync {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.channel.text, if self.sends { '!' } else { '?' })?;
        match &self.values[..] {
            [] => Ok(()),
            [value] => write!(f, "{value}"),
            values => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "{{{}}}", values.join(", "))
            }
        }
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.target, self.value)
    }
}

/// `p -> q`, and what else the transition says.
impl Display for Transition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from.text, self.to.text)?;
        if let Some(guard) = &self.guard {
            write!(f, " guard {guard};")?;
        }
        if let Some(sync) = &self.sync {
            write!(f, " sync {sync};")?;
        }
        if !self.effects.is_empty() {
            let effects: Vec<String> = self.effects.iter().map(ToString::to_string).collect();
            write!(f, " effect {};", effects.join(", "))?;
        }
        Ok(())
    }
}
