//! The role of each token in a formula: an operator of the logic, a bracket, or a part of an expression.
//!
//! Some words are operators in one place and names in another: `R` is release in `p R q` and a proposition in `<> R`.
//! Two operands are never adjacent, which decides the role.

use super::lex::{Kind, Token, starts_operand};
use super::{Infix, Prefix, Syntax};
use crate::problem::Problem;

/// The role of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Prefix(Prefix),
    Infix(Infix),
    /// An opening bracket, with the index of its partner.
    Open(usize),
    Close(usize),
    /// A name, a number or a quoted expression.
    Operand,
    /// An operator of the modelling language.
    Sign,
}

impl Role {
    fn ends_operand(self) -> bool {
        matches!(self, Role::Operand | Role::Close(_))
    }

    /// Whether the role is a temporal operator or a path quantifier.
    pub fn is_temporal(self) -> bool {
        match self {
            Role::Prefix(p) => p != Prefix::Not,
            Role::Infix(i) => matches!(i, Infix::Until | Infix::WeakUntil | Infix::Release),
            _ => false,
        }
    }
}

/// The role of every token.
pub fn roles(tokens: &[Token<'_>], syntax: Syntax) -> Result<Vec<Role>, Problem> {
    let partners = partners(tokens)?;
    let mut out: Vec<Role> = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        let after_operand = out.last().is_some_and(|r| r.ends_operand());
        // After an operator of the modelling language, a token belongs to the expression.
        let in_expression = out.last() == Some(&Role::Sign);
        let role = match token.kind {
            Kind::Number | Kind::Quoted | Kind::Character => Role::Operand,
            Kind::Word if after_operand => infix_word(token.text).map_or(Role::Operand, Role::Infix),
            Kind::Word if in_expression => Role::Operand,
            Kind::Word => prefix_word(tokens, i, syntax).map_or(Role::Operand, Role::Prefix),
            Kind::Sign => match token.text {
                "(" | "[" => Role::Open(partners[i]),
                ")" | "]" => Role::Close(partners[i]),
                text => sign(text, in_expression),
            },
        };
        out.push(role);
    }
    Ok(out)
}

fn sign(text: &str, in_expression: bool) -> Role {
    match text {
        "!" if in_expression => Role::Sign,
        "!" => Role::Prefix(Prefix::Not),
        "[]" => Role::Prefix(Prefix::Globally),
        "<>" => Role::Prefix(Prefix::Finally),
        "&&" | "/\\" => Role::Infix(Infix::And),
        "||" | "\\/" => Role::Infix(Infix::Or),
        "->" | "=>" => Role::Infix(Infix::Implies),
        "<->" | "<=>" => Role::Infix(Infix::Equivalent),
        _ => Role::Sign,
    }
}

fn infix_word(word: &str) -> Option<Infix> {
    Some(match word {
        "U" | "until" | "stronguntil" => Infix::Until,
        "W" | "weakuntil" => Infix::WeakUntil,
        "V" | "R" | "release" => Infix::Release,
        "and" => Infix::And,
        "or" => Infix::Or,
        "implies" | "imply" => Infix::Implies,
        "equivalent" => Infix::Equivalent,
        _ => return None,
    })
}

/// The prefix operator that the word at `i` denotes, unless the word is a name.
fn prefix_word(tokens: &[Token<'_>], i: usize, syntax: Syntax) -> Option<Prefix> {
    let word = tokens[i].text;
    let prefix = match word {
        "X" | "next" => Prefix::Next,
        "G" | "always" => Prefix::Globally,
        "F" | "eventually" => Prefix::Finally,
        "not" => Prefix::Not,
        _ if syntax == Syntax::Ctl => quantifier(word)?,
        _ => return None,
    };
    let reserved = matches!(word, "X" | "next" | "always" | "eventually");
    (reserved || operand_follows(tokens, i + 1)).then_some(prefix)
}

fn quantifier(word: &str) -> Option<Prefix> {
    Some(match word {
        "A" => Prefix::All,
        "E" => Prefix::Exists,
        "AX" => Prefix::AllNext,
        "EX" => Prefix::ExistsNext,
        "AG" => Prefix::AllGlobally,
        "EG" => Prefix::ExistsGlobally,
        "AF" => Prefix::AllFinally,
        "EF" => Prefix::ExistsFinally,
        _ => return None,
    })
}

/// Whether the token at `i` starts an operand. Then the token before it is not a name.
fn operand_follows(tokens: &[Token<'_>], i: usize) -> bool {
    let Some(token) = tokens.get(i) else { return false };
    match token.kind {
        Kind::Number | Kind::Quoted | Kind::Character => true,
        // `F R` is "eventually R". `F R p` is "F releases p".
        Kind::Word => infix_word(token.text).is_none() || !tokens.get(i + 1).is_some_and(starts_operand),
        Kind::Sign if token.text == "[" => encloses_until(tokens, i),
        Kind::Sign => matches!(token.text, "(" | "!" | "~" | "[]" | "<>"),
    }
}

/// Whether a bracket encloses an until, as in `A [p U q]` and unlike the array element `A[i]`.
fn encloses_until(tokens: &[Token<'_>], open: usize) -> bool {
    let mut depth = 0usize;
    for (before, token) in tokens[open..].iter().zip(&tokens[open + 1..]) {
        match before.text {
            "[" | "(" => depth += 1,
            "]" | ")" if depth <= 1 => return false,
            "]" | ")" => depth -= 1,
            _ => {}
        }
        let after_operand = before.kind != Kind::Sign || matches!(before.text, ")" | "]");
        if depth == 1 && token.kind == Kind::Word && after_operand {
            let infix = infix_word(token.text);
            if matches!(infix, Some(Infix::Until | Infix::WeakUntil | Infix::Release)) {
                return true;
            }
        }
    }
    false
}

/// The index of the partner of each bracket.
fn partners(tokens: &[Token<'_>]) -> Result<Vec<usize>, Problem> {
    let mut out = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (i, token) in tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Sign) {
        match token.text {
            "(" | "[" => open.push(i),
            ")" | "]" => {
                let wanted = if token.text == ")" { "(" } else { "[" };
                match open.pop() {
                    Some(o) if tokens[o].text == wanted => (out[o], out[i]) = (i, o),
                    Some(o) => {
                        let what = format!("`{}` closes nothing that `{}` opened", token.text, tokens[o].text);
                        return Err(Problem::new(token.span, what));
                    }
                    None => return Err(Problem::new(token.span, format!("this `{}` closes nothing", token.text))),
                }
            }
            _ => {}
        }
    }
    match open.last() {
        Some(o) => Err(Problem::new(tokens[*o].span, format!("this `{}` is never closed", tokens[*o].text))),
        None => Ok(out),
    }
}
