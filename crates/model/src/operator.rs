//! The operators of expressions: their results and their symbols.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Neg,
    Not,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Division and remainder by zero are faults.
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A question about the length of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelQuery {
    Len,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

impl UnaryOp {
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            UnaryOp::Neg => a.wrapping_neg(),
            UnaryOp::Not => i32::from(a == 0),
            UnaryOp::Complement => !a,
        }
    }

    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
        }
    }
}

impl BinaryOp {
    pub(crate) const ALL: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Shl,
        BinaryOp::Shr,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
    ];

    /// None for a division by zero.
    #[inline(always)]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
            BinaryOp::Gt => i32::from(a > b),
            BinaryOp::Ge => i32::from(a >= b),
        })
    }

    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }
}

impl ChannelQuery {
    pub(crate) const ALL: [ChannelQuery; 5] =
        [ChannelQuery::Len, ChannelQuery::Empty, ChannelQuery::NotEmpty, ChannelQuery::Full, ChannelQuery::NotFull];

    pub fn name(self) -> &'static str {
        match self {
            ChannelQuery::Len => "len",
            ChannelQuery::Empty => "empty",
            ChannelQuery::NotEmpty => "nempty",
            ChannelQuery::Full => "full",
            ChannelQuery::NotFull => "nfull",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_32_bits() {
        for (op, a, b, result) in [
            (BinaryOp::Add, i32::MAX, 1, Some(i32::MIN)),
            (BinaryOp::Div, 7, 0, None),
            (BinaryOp::Rem, -7, 0, None),
            (BinaryOp::Div, i32::MIN, -1, Some(i32::MIN)),
            (BinaryOp::Rem, -7, 3, Some(-1)),
            (BinaryOp::Shl, 1, 33, Some(2)),
            (BinaryOp::Shr, -8, 1, Some(-4)),
            (BinaryOp::And, 2, 4, Some(1)),
            (BinaryOp::Le, 3, 3, Some(1)),
        ] {
            assert_eq!(op.apply(a, b), result, "{a} {} {b}", op.symbol());
        }
    }
}
