//! Lines that begin with `#`.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::expand::Macro;
use super::{Frame, Preprocessor};
use crate::diagnostic::{Diagnostic, warn};
use crate::limits;
use crate::promela::token::{Punct, Token, TokenKind};
use crate::source::{Span, join};

/// An `#if` that is open.
pub struct Conditional {
    pub span: Span,
    /// One of its groups has been taken: the others are skipped.
    taken: bool,
    /// `#else` has been seen.
    last: bool,
}

impl Preprocessor<'_> {
    /// Obeys the directive whose `#` has just been read.
    pub(super) fn directive(&mut self, hash: Span) {
        let line = self.line();
        let Some(name) = line.first() else { return };
        let rest = &line[1..];
        let span = join(hash, name.span);
        match &*name.text {
            "define" => self.define(rest, span),
            "undef" => self.undefine(rest, span),
            "include" => self.include(rest, span),
            "if" | "ifdef" | "ifndef" => self.open(&name.text, rest, span),
            "elif" | "else" | "endif" => self.turn(&name.text, span),
            "error" | "warning" => self.message(&name.text, rest, span),
            "pragma" => self.pragma(rest),
            "line" | "ident" | "sccs" => {}
            // A line marker of a file that has been preprocessed before.
            _ if name.kind == TokenKind::Number => {}
            other => {
                let message = format!("unknown directive `#{other}`");
                self.error(Diagnostic::error(span, message, "").help(
                    "known: include, define, undef, if, ifdef, ifndef, elif, else, endif, error, warning, line, pragma",
                ));
            }
        }
    }

    /// The remaining tokens of the line.
    fn line(&mut self) -> Vec<Token> {
        let Some(Frame::File(f)) = self.frames.last_mut() else { return Vec::new() };
        let rest = &f.tokens[f.at..];
        let end = rest.iter().position(|t| t.newline).unwrap_or(rest.len());
        f.at += end;
        rest[..end].to_vec()
    }

    fn define(&mut self, line: &[Token], span: Span) {
        let Some(name) = line.first().filter(|t| t.kind == TokenKind::Ident && &*t.text != "defined") else {
            let at = line.first().map_or(span, |t| t.span);
            return self.error(Diagnostic::error(at, "expected a name after `#define`", ""));
        };
        let mut body = &line[1..];
        let mut params = None;
        let mut variadic = false;
        if body.first().is_some_and(|t| t.is(Punct::LeftParen) && !t.space) {
            let Some((names, dots, used)) = parameters(&body[1..]) else {
                let at = body[0].span;
                return self.error(
                    Diagnostic::error(at, "malformed macro parameters", "opened here")
                        .help("write `#define NAME(a, b) …`, or a space after NAME for a macro without parameters"),
                );
            };
            body = &body[1 + used..];
            (params, variadic) = (Some(names), dots);
        }
        if let Some(edge) = body.first().into_iter().chain(body.last()).find(|t| t.is(Punct::HashHash)) {
            let at = edge.span;
            return self.error(Diagnostic::error(at, "`##` cannot be at the edge of a macro", ""));
        }
        let new = Macro {
            name: name.text.clone(),
            params,
            variadic,
            body: body.to_vec(),
            definition: Some(name.span),
            active: Cell::new(0),
        };
        if let Some(old) = self.macros.get(&name.text)
            && !old.same_as(&new)
        {
            let mut warning = Diagnostic::warning(name.span, format!("macro `{}` is redefined", name.text), "");
            if let Some(before) = old.definition {
                warning = warning.label(before, "first defined here");
            }
            warn(self.diagnostics, warning);
        }
        self.sources.used(name.span, name.span);
        self.macros.insert(name.text.clone(), Rc::new(new));
    }

    fn undefine(&mut self, line: &[Token], span: Span) {
        match line.first() {
            Some(name) if name.kind == TokenKind::Ident => {
                self.macros.remove(&name.text);
            }
            _ => self.error(Diagnostic::error(span, "expected a name after `#undef`", "")),
        }
    }

    fn include(&mut self, line: &[Token], span: Span) {
        let mut line = line.to_vec();
        if !line.first().is_some_and(|t| t.kind == TokenKind::Str || t.is(Punct::Less)) {
            line = self.expand_alone(line);
        }
        let at = line.first().map_or(span, |t| join(span, t.span));
        let (name, quoted) = match line.first() {
            Some(t) if t.kind == TokenKind::Str => (t.text.trim_matches('"').to_string(), true),
            Some(t) if t.is(Punct::Less) => {
                let inside = line[1..].iter().take_while(|t| !t.is(Punct::Greater));
                (inside.map(|t| &*t.text).collect::<String>(), false)
            }
            _ => {
                return self.error(
                    Diagnostic::error(at, "expected a file name after `#include`", "")
                        .help("write `#include \"file\"`"),
                );
            }
        };
        let depth = self.frames.iter().filter(|f| matches!(f, Frame::File(_))).count();
        if depth > limits::MAX_INCLUDE_DEPTH {
            let message = format!("files are included too deeply: over {} levels", limits::MAX_INCLUDE_DEPTH);
            let hint = "does this file include itself? guard it with `#ifndef` … `#endif`";
            return self.fatal(Diagnostic::error(at, message, "").help(hint));
        }
        for candidate in self.candidates(&name, quoted) {
            if self.once.contains(&candidate) {
                return;
            }
            match self.loader.read(&candidate) {
                Ok(bytes) => return self.enter(&candidate, bytes, Some(at)),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => {
                    let message = format!("cannot read `{}`: {e}", candidate.display());
                    return self.error(Diagnostic::error(at, message, "included here"));
                }
            }
        }
        self.error(
            Diagnostic::error(at, format!("there is no file `{name}` to include"), "")
                .help("it is looked for beside the file that includes it, then in the -I directories"),
        );
    }

    fn candidates(&self, name: &str, quoted: bool) -> Vec<PathBuf> {
        let beside = self.frames.iter().rev().find_map(|f| match f {
            Frame::File(f) => f.path.parent(),
            Frame::Expansion { .. } => None,
        });
        let dirs = self.include_dirs.iter().map(PathBuf::as_path);
        beside.into_iter().filter(|_| quoted).chain(dirs).map(|dir: &Path| dir.join(name)).collect()
    }

    fn message(&mut self, kind: &str, line: &[Token], span: Span) {
        let text = match (line.first(), line.last()) {
            (Some(a), Some(b)) => self.sources.text(join(a.span, b.span)).trim_matches('"').to_string(),
            _ => format!("#{kind}"),
        };
        if kind == "error" {
            self.error(Diagnostic::error(span, text, ""));
        } else {
            warn(self.diagnostics, Diagnostic::warning(span, text, ""));
        }
    }

    fn pragma(&mut self, line: &[Token]) {
        if line.first().is_some_and(|t| t.is_ident("once"))
            && let Some(Frame::File(f)) = self.frames.last()
        {
            self.once.insert(f.path.clone());
        }
    }

    /// `#if` and its kin.
    fn open(&mut self, kind: &str, line: &[Token], span: Span) {
        let taken = self.test(kind, line, span);
        self.push_conditional(Conditional { span, taken, last: false });
        if !taken {
            self.skip();
        }
    }

    fn test(&mut self, kind: &str, line: &[Token], span: Span) -> bool {
        if kind == "if" || kind == "elif" {
            return self.condition(line.to_vec(), span);
        }
        match line.first() {
            Some(name) if name.kind == TokenKind::Ident => self.macros.contains_key(&name.text) == (kind == "ifdef"),
            _ => {
                self.error(Diagnostic::error(span, format!("expected a name after `#{kind}`"), ""));
                false
            }
        }
    }

    fn push_conditional(&mut self, conditional: Conditional) {
        if let Some(Frame::File(f)) = self.frames.last_mut() {
            f.conditionals.push(conditional);
        }
    }

    fn pop_conditional(&mut self) -> Option<Conditional> {
        match self.frames.last_mut() {
            Some(Frame::File(f)) => f.conditionals.pop(),
            _ => None,
        }
    }

    /// `#elif`, `#else`, `#endif` met at the end of a group that was taken.
    fn turn(&mut self, kind: &str, span: Span) {
        let Some(mut open) = self.pop_conditional() else {
            return self.error(Diagnostic::error(span, format!("`#{kind}` without `#if`"), ""));
        };
        if kind == "endif" {
            return;
        }
        if open.last {
            self.error(Diagnostic::error(span, format!("`#{kind}` after `#else`"), "").label(open.span, "opened here"));
        }
        open.last |= kind == "else";
        self.push_conditional(open);
        self.skip();
    }

    /// Skips groups until one is taken or the condition is closed.
    fn skip(&mut self) {
        let mut nested = 0usize;
        loop {
            let Some(hash) = self.skip_to_directive() else { return };
            let line = self.line();
            let Some(name) = line.first() else { continue };
            let span = join(hash, name.span);
            match &*name.text {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested > 0 => nested -= 1,
                "endif" => {
                    self.pop_conditional();
                    return;
                }
                "else" | "elif" if nested == 0 => {
                    let Some(mut open) = self.pop_conditional() else { return };
                    if open.last {
                        let message = format!("`#{}` after `#else`", name.text);
                        self.error(Diagnostic::error(span, message, "").label(open.span, "opened here"));
                    }
                    let take =
                        !open.taken && !open.last && (&*name.text == "else" || self.test("elif", &line[1..], span));
                    open.taken |= take;
                    open.last |= &*name.text == "else";
                    self.push_conditional(open);
                    if take {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// The next `#` at the start of a line of this file, which is consumed.
    fn skip_to_directive(&mut self) -> Option<Span> {
        let Some(Frame::File(f)) = self.frames.last_mut() else { return None };
        let found = f.tokens[f.at..].iter().position(|t| t.newline && t.is(Punct::Hash));
        let Some(distance) = found else {
            f.at = f.tokens.len();
            return None;
        };
        f.at += distance + 1;
        Some(f.tokens[f.at - 1].span)
    }
}

/// Parameter names up to the closing parenthesis, whether the last takes the rest, and how many tokens that took.
fn parameters(tokens: &[Token]) -> Option<(Vec<Rc<str>>, bool, usize)> {
    let mut names = Vec::new();
    let mut i = 0;
    if tokens.first()?.is(Punct::RightParen) {
        return Some((names, false, 1));
    }
    loop {
        let mut dots = false;
        if tokens.get(i)?.kind == TokenKind::Ident {
            names.push(tokens[i].text.clone());
            i += 1;
        } else {
            names.push("__VA_ARGS__".into());
            dots = true;
        }
        if tokens.get(i)?.is(Punct::DotDot) {
            // `...` is lexed as `..` and `.`
            if !tokens.get(i + 1)?.is(Punct::Dot) {
                return None;
            }
            i += 2;
            return tokens.get(i)?.is(Punct::RightParen).then_some((names, true, i + 1));
        }
        if dots {
            return None;
        }
        match tokens.get(i)?.kind {
            TokenKind::Punct(Punct::RightParen) => return Some((names, false, i + 1)),
            TokenKind::Punct(Punct::Comma) => i += 1,
            _ => return None,
        }
    }
}
