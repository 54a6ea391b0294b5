//! The operators of expressions: their results and their symbols.

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// Arithmetic negation, wrapping.
    Neg,
    /// Logical negation: 1 for 0, else 0.
    Not,
    /// Bitwise complement.
    Complement,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Quotient, truncated towards 0. A divisor of 0 is a fault.
    Div,
    /// Remainder with the sign of the dividend. A divisor of 0 is a fault.
    Rem,
    /// Logical conjunction. The second operand is not evaluated if the first is 0.
    And,
    /// Logical disjunction. The second operand is not evaluated if the first is not 0.
    Or,
    /// Bitwise conjunction.
    BitAnd,
    /// Bitwise disjunction.
    BitOr,
    /// Bitwise exclusive disjunction.
    BitXor,
    /// Left shift. The distance is taken modulo 32.
    Shl,
    /// Arithmetic right shift. The distance is taken modulo 32.
    Shr,
    /// 1 if the operands are equal.
    Eq,
    /// 1 if the operands differ.
    Ne,
    /// 1 if the first operand is less.
    Lt,
    /// 1 if the first operand is less or equal.
    Le,
    /// 1 if the first operand is greater.
    Gt,
    /// 1 if the first operand is greater or equal.
    Ge,
}

/// A question about the length of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelQuery {
    /// The number of messages in the channel.
    Len,
    /// 1 if the channel has no message.
    Empty,
    /// 1 if the channel has a message.
    NotEmpty,
    /// 1 if the buffer has no free slot; 0 for a rendezvous channel.
    Full,
    /// 1 if the buffer has a free slot, and for a rendezvous channel.
    NotFull,
}

impl UnaryOp {
    /// The result for an operand.
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            UnaryOp::Neg => a.wrapping_neg(),
            UnaryOp::Not => i32::from(a == 0),
            UnaryOp::Complement => !a,
        }
    }

    /// The symbol of the operator in the [text form](crate::text).
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
        }
    }
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [BinaryOp; 18] = [
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

    /// The result for two operands; none for a division by zero.
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

    /// The symbol of the operator in the [text form](crate::text).
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

    /// The name of the query in the [text form](crate::text).
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
