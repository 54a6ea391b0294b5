//! Operands that are expressions of the modelling language. Their extent is found without parsing them.

use super::lex::Kind;
use super::roles::Role;
use super::{Parser, Prefix, TreeKind};
use crate::atoms::Span;
use crate::problem::Problem;

impl Parser<'_> {
    /// Whether an expression ends here.
    pub(super) fn at_boundary(&self) -> bool {
        matches!(self.role(), None | Some(Role::Infix(_) | Role::Close(_)))
    }

    /// Whether the bracket here encloses a formula, not a part of an expression: it contains a temporal operator, or
    /// it is a whole operand.
    pub(super) fn is_formula(&self, close: usize) -> bool {
        let inside = &self.roles[self.at + 1..close];
        if inside.iter().any(|r| r.is_temporal()) {
            return true;
        }
        let whole = matches!(self.roles.get(close + 1), None | Some(Role::Infix(_) | Role::Close(_)));
        whole && self.tokens[self.at].text == "(" && !self.is_conditional(self.at, close)
    }

    /// Whether brackets enclose a conditional expression, `(c -> a : b)`. In `(c -> p:n)` the colon is a remote
    /// reference.
    fn is_conditional(&self, open: usize, close: usize) -> bool {
        let mut i = open + 1;
        while i < close {
            if let Role::Open(partner) = self.roles[i] {
                i = partner;
            }
            let colon = self.roles[i] == Role::Sign && self.tokens[i].text == ":";
            if colon && !self.is_remote(i) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether a colon is a remote reference: a name or `]` precedes it and a name follows, without blanks.
    fn is_remote(&self, colon: usize) -> bool {
        let (Some(before), Some(after)) = (self.tokens.get(colon.wrapping_sub(1)), self.tokens.get(colon + 1)) else {
            return false;
        };
        let span = self.tokens[colon].span;
        let named = before.kind == Kind::Word || before.text == "]";
        named && after.kind == Kind::Word && before.span.end == span.start && span.end == after.span.start
    }

    /// Parses an operand that is an expression.
    pub(super) fn expression(&mut self) -> Result<usize, Problem> {
        if self.is_quoted(self.at) {
            let span = self.here();
            self.at += 1;
            let inner = Span::new(span.start + 1, span.end - 1);
            return self.atom(inner);
        }
        let start = self.here();
        let (end, _) = self.scan(self.at)?;
        let last = self.tokens[end - 1].span;
        self.at = end;
        self.atom(start.to(last))
    }

    /// Parses `!x == 1` as the expression `(!x) == 1`, which is its meaning in all supported languages.
    pub(super) fn negated_expression(&mut self) -> Result<Option<usize>, Problem> {
        let mut first = self.at;
        while self.roles.get(first) == Some(&Role::Prefix(Prefix::Not)) && self.tokens[first].text == "!" {
            first += 1;
        }
        let begins = match self.roles.get(first) {
            Some(Role::Operand) => !self.is_quoted(first),
            Some(Role::Open(close)) => {
                let inside = &self.roles[first + 1..*close];
                !inside.iter().any(|r| r.is_temporal()) && self.roles.get(close + 1) == Some(&Role::Sign)
            }
            _ => false,
        };
        if first == self.at || !begins {
            return Ok(None);
        }
        let (end, calculates) = self.scan(first)?;
        if !calculates {
            return Ok(None);
        }
        let span = self.here().to(self.tokens[end - 1].span);
        self.at = end;
        self.atom(span).map(Some)
    }

    /// The end of the expression that starts at `i`, and whether it contains an operator of its language.
    fn scan(&self, mut i: usize) -> Result<(usize, bool), Problem> {
        let mut after_operand = false;
        let mut calculates = false;
        while let Some(role) = self.roles.get(i).copied() {
            match role {
                Role::Operand if after_operand => break,
                Role::Operand => after_operand = true,
                Role::Open(close) => {
                    let bracket = self.tokens[i].text;
                    if after_operand != (bracket == "[") && !self.is_call(i) {
                        break;
                    }
                    self.no_temporal(i, close)?;
                    i = close;
                    after_operand = true;
                }
                Role::Sign => {
                    let text = self.tokens[i].text;
                    let poll = matches!(text, "?" | "??") && self.tokens.get(i + 1).is_some_and(|t| t.text == "[");
                    calculates |= after_operand && !matches!(text, "." | "@" | ":" | "?" | "??");
                    if after_operand && poll {
                        // In `q?[m]` the bracket belongs to the expression, like an array index.
                        i += 1;
                        continue;
                    }
                    after_operand = false;
                }
                Role::Prefix(_) | Role::Infix(_) | Role::Close(_) => break,
            }
            i += 1;
        }
        if after_operand { Ok((i, calculates)) } else { Err(self.expression_ends(i)) }
    }

    /// Whether a bracket follows a function name: `len(q)`.
    fn is_call(&self, open: usize) -> bool {
        self.tokens[open].text == "(" && open > 0 && self.tokens[open - 1].kind == Kind::Word
    }

    fn no_temporal(&self, open: usize, close: usize) -> Result<(), Problem> {
        match (open..close).find(|i| self.roles[*i].is_temporal()) {
            None => Ok(()),
            Some(i) => {
                let token = &self.tokens[i];
                let what = format!("the temporal operator `{}` can't be part of an expression", token.text);
                Err(Problem::new(token.span, what))
            }
        }
    }

    fn expression_ends(&self, i: usize) -> Problem {
        let end = self.text.trim_end().len();
        let span = self.tokens.get(i).map_or(Span::new(end, end), |t| t.span);
        Problem::new(span, "this expression is not complete").here("expected an operand here")
    }

    fn atom(&mut self, span: Span) -> Result<usize, Problem> {
        let text = self.text[span.start..span.end].trim();
        let kind = match text {
            "true" | "1" => TreeKind::Constant(true),
            "false" | "0" => TreeKind::Constant(false),
            "" => return Err(Problem::new(span, "there is no expression here")),
            _ => TreeKind::Atom(self.atoms.intern(text, span)),
        };
        self.push(kind, span)
    }
}
