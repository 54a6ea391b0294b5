//! The expressions of `#if` and `#elif`.

use super::Preprocessor;
use crate::diagnostic::Diagnostic;
use crate::limits;
use crate::promela::token::{Punct, Token, TokenKind};
use crate::source::Span;

impl Preprocessor<'_> {
    /// Whether the condition on this line is true. After an error it is false.
    pub(super) fn condition(&mut self, line: Vec<Token>, span: Span) -> bool {
        let line = self.replace_defined(line);
        let tokens = self.expand_alone(line);
        let mut evaluator = Evaluator { tokens: &tokens, at: 0, depth: 0 };
        let result = evaluator.conditional().and_then(|v| match evaluator.peek() {
            None => Ok(v),
            Some(_) => Err("expected an operator"),
        });
        match result {
            Ok(value) => value != 0,
            Err(what) => {
                let at = tokens.get(evaluator.at).or(tokens.last()).map_or(span, |t| t.span);
                self.error(Diagnostic::error(at, format!("malformed condition: {what}"), ""));
                false
            }
        }
    }

    /// `defined X` and `defined(X)` become 1 or 0, before macros are expanded.
    fn replace_defined(&self, line: Vec<Token>) -> Vec<Token> {
        let mut out = Vec::with_capacity(line.len());
        let mut i = 0;
        while i < line.len() {
            let token = &line[i];
            let bracketed = line.get(i + 1).is_some_and(|t| t.is(Punct::LeftParen));
            let name = line.get(i + if bracketed { 2 } else { 1 }).filter(|t| t.kind == TokenKind::Ident);
            let closed = !bracketed || line.get(i + 3).is_some_and(|t| t.is(Punct::RightParen));
            match name {
                Some(name) if token.is_ident("defined") && closed => {
                    let builtin = matches!(&*name.text, "__LINE__" | "__FILE__");
                    let text = if builtin || self.macros.contains_key(&name.text) { "1" } else { "0" };
                    out.push(Token { kind: TokenKind::Number, text: text.into(), ..token.clone() });
                    i += if bracketed { 4 } else { 2 };
                }
                _ => {
                    out.push(token.clone());
                    i += 1;
                }
            }
        }
        out
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

type Value = Result<i64, &'static str>;

impl Evaluator<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|t| &*t.text == text && !matches!(t.kind, TokenKind::Str));
        self.at += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Value {
        self.depth += 1;
        if self.depth > limits::MAX_NESTING {
            return Err("nested too deeply");
        }
        let test = self.binary(0)?;
        let result = if self.take("?") {
            let yes = self.conditional()?;
            if !self.take(":") {
                return Err("expected `:`");
            }
            let no = self.conditional()?;
            if test != 0 { yes } else { no }
        } else {
            test
        };
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, least: u8) -> Value {
        let mut left = self.unary()?;
        while let Some((op, level)) = self.peek().and_then(|t| operator(&t.text)).filter(|(_, l)| *l >= least) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = apply(op, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Value {
        let mut ops = Vec::new();
        while let Some(op) =
            self.peek().map(|t| t.text.clone()).filter(|t| matches!(&**t, "!" | "!!" | "-" | "--" | "+" | "~"))
        {
            ops.push(op);
            self.at += 1;
        }
        let mut value = self.primary()?;
        for op in ops.iter().rev() {
            value = match &**op {
                "!" => i64::from(value == 0),
                "!!" => i64::from(value != 0),
                "-" => value.wrapping_neg(),
                "~" => !value,
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.peek().cloned() else { return Err("expected a value") };
        if self.take("(") {
            let value = self.conditional()?;
            return if self.take(")") { Ok(value) } else { Err("expected `)`") };
        }
        match token.kind {
            // Names that are no macros count as 0.
            TokenKind::Ident => {
                self.at += 1;
                Ok(0)
            }
            TokenKind::Number => {
                let mut text = token.text.to_string();
                self.at += 1;
                // `0x1f`, `10UL`: letters that stick to the digits.
                while let Some(next) = self.peek().filter(|t| t.kind == TokenKind::Ident && !t.space) {
                    text.push_str(&next.text);
                    self.at += 1;
                }
                number(&text).ok_or("this is not a number")
            }
            TokenKind::Char => {
                self.at += 1;
                let inside = &token.text[1..token.text.len() - 1];
                Ok(match inside.strip_prefix('\\') {
                    Some("n") => 10,
                    Some("t") => 9,
                    Some("r") => 13,
                    Some("0") => 0,
                    Some(other) => other.chars().next().map_or(0, |c| c as i64),
                    None => inside.chars().next().map_or(0, |c| c as i64),
                })
            }
            _ => Err("expected a value"),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

fn operator(text: &str) -> Option<(&'static str, u8)> {
    const OPERATORS: [(&str, u8); 18] = [
        ("||", 1),
        ("&&", 2),
        ("|", 3),
        ("^", 4),
        ("&", 5),
        ("==", 6),
        ("!=", 6),
        ("<", 7),
        (">", 7),
        ("<=", 7),
        (">=", 7),
        ("<<", 8),
        (">>", 8),
        ("+", 9),
        ("-", 9),
        ("*", 10),
        ("/", 10),
        ("%", 10),
    ];
    OPERATORS.into_iter().find(|(t, _)| *t == text)
}

fn apply(op: &str, a: i64, b: i64) -> Value {
    let truth = |v: bool| Ok(i64::from(v));
    match op {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "|" => Ok(a | b),
        "^" => Ok(a ^ b),
        "&" => Ok(a & b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "<<" => Ok(a.wrapping_shl(b as u32)),
        ">>" => Ok(a.wrapping_shr(b as u32)),
        "+" => Ok(a.wrapping_add(b)),
        "-" => Ok(a.wrapping_sub(b)),
        "*" => Ok(a.wrapping_mul(b)),
        _ if b == 0 => Err("division by zero"),
        "/" => Ok(a.wrapping_div(b)),
        _ => Ok(a.wrapping_rem(b)),
    }
}
