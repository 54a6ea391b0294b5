//! m4's arithmetic: 32 bits, the operators of C.

/// The value of an expression, or what is wrong with it.
pub(super) fn evaluate(text: &str) -> Result<i32, &'static str> {
    let mut reader = Reader { rest: text.as_bytes(), depth: 0 };
    let value = reader.binary(0)?;
    reader.blank();
    if reader.rest.is_empty() { Ok(value) } else { Err("something follows the expression") }
}

const OPERATORS: &[(&str, u8)] = &[
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("**", 11),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
    ("=", 6),
];

/// A bracket counts up to four times: as an operand, with its prefix, its content, and as the right side of an operator.
const DEEPEST: usize = 4 * crate::limits::MAX_NESTING;

struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl Reader<'_> {
    fn blank(&mut self) {
        let skip = self.rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.rest = &self.rest[skip..];
    }

    fn operator(&mut self) -> Option<(&'static str, u8)> {
        self.blank();
        OPERATORS.iter().find(|(text, _)| self.rest.starts_with(text.as_bytes())).copied()
    }

    fn binary(&mut self, least: u8) -> Result<i32, &'static str> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply");
        }
        let mut left = self.unary()?;
        while let Some((op, level)) = self.operator().filter(|(_, level)| *level > least) {
            self.rest = &self.rest[op.len()..];
            let right = self.binary(if op == "**" { level - 1 } else { level })?;
            left = apply(op, left, right)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<i32, &'static str> {
        self.blank();
        let Some(&first) = self.rest.first() else { return Err("a number is missing") };
        if first.is_ascii_digit() {
            return self.number();
        }
        self.rest = &self.rest[1..];
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply");
        }
        let value = match first {
            b'-' => self.unary()?.wrapping_neg(),
            b'+' => self.unary()?,
            b'!' => i32::from(self.unary()? == 0),
            b'~' => !self.unary()?,
            b'(' => {
                let inner = self.binary(0)?;
                self.blank();
                if self.rest.first() != Some(&b')') {
                    return Err("a bracket is not closed");
                }
                self.rest = &self.rest[1..];
                inner
            }
            _ => return Err("this is not a number; is a macro not defined?"),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self) -> Result<i32, &'static str> {
        let length = self.rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        let text = std::str::from_utf8(digits).unwrap_or_default();
        let value = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16),
            None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8),
            None => text.parse(),
        };
        value.ok().and_then(|v| i32::try_from(v).ok()).ok_or("this is not a number of 32 bits")
    }
}

fn apply(op: &str, a: i32, b: i32) -> Result<i32, &'static str> {
    Ok(match op {
        "||" => i32::from(a != 0 || b != 0),
        "&&" => i32::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" | "=" => i32::from(a == b),
        "!=" => i32::from(a != b),
        "<" => i32::from(a < b),
        "<=" => i32::from(a <= b),
        ">" => i32::from(a > b),
        ">=" => i32::from(a >= b),
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return Err("it divides by zero"),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        _ => match u32::try_from(b) {
            Ok(power) => a.wrapping_pow(power),
            Err(_) => return Err("a power can't be negative"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn values() {
        for (text, value) in [
            ("1+2*3", Ok(7)),
            (" ( 1 + 2 ) * -3", Ok(-9)),
            ("2**3**2", Ok(512)),
            ("7 % 4 << 1", Ok(6)),
            ("!0 && 3 >= 3", Ok(1)),
            ("0x10 + 010", Ok(24)),
            ("1/0", Err("it divides by zero")),
            ("", Err("a number is missing")),
            ("N", Err("this is not a number; is a macro not defined?")),
            ("1 2", Err("something follows the expression")),
        ] {
            assert_eq!(evaluate(text), value, "{text}");
        }
        assert!(evaluate(&"(".repeat(100_000)).is_err());
        assert!(evaluate(&"-".repeat(100_000)).is_err());
    }
}
