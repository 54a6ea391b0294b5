//! Macro calls: collecting arguments, putting them into bodies.

use std::rc::Rc;

use super::input::Token;
use super::{Char, Done, Expander, Macro, Text, bytes, computed};
use crate::diagnostic::Diagnostic;
use crate::limits;

impl Expander<'_> {
    /// Adds a token to `into`, or makes the call that it is.
    pub(super) fn take(&mut self, token: Token, into: &mut Text) -> Done<()> {
        match token {
            Token::Literal(text) => into.extend(text),
            Token::Other(c) => into.push(c),
            Token::Word(word) => {
                let called = self.macros.get(&bytes(&word)).and_then(|all| all.last()).cloned();
                match called {
                    Some(called) => self.call(word, called, into)?,
                    None => into.extend(word),
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, word: Text, called: Macro, into: &mut Text) -> Done<()> {
        let bracket = self.input.peek().is_some_and(|c| c.byte == b'(');
        if let Macro::Builtin(builtin) = called
            && builtin.needs_arguments()
            && !bracket
        {
            into.extend(word);
            return Ok(());
        }
        let at = word[0];
        let args = if bracket { self.arguments(at)? } else { Vec::new() };
        let expansion = match called {
            Macro::Text(body) => self.substitute(&word, &body, &args)?,
            Macro::Builtin(builtin) => self.builtin(builtin, at, args)?,
        };
        self.push(expansion)
    }

    /// `(a, b, …)`: each argument expanded, without white space in front of it.
    fn arguments(&mut self, at: Char) -> Done<Vec<Text>> {
        if self.depth >= limits::MAX_MACRO_DEPTH {
            return self.fail(Diagnostic::error(at.span(), "macros are nested too deeply here", ""));
        }
        self.depth += 1;
        let open = self.input.next().unwrap_or(at);
        let mut args = vec![Vec::new()];
        self.skip_blanks();
        let mut inside = 0;
        loop {
            let Some(token) = self.token()? else {
                let wrong =
                    Diagnostic::error(open.span(), "expected `)` to close the arguments of a macro", "opened here");
                return self.fail(wrong);
            };
            let current = args.len() - 1;
            match token {
                Token::Other(c) if c.byte == b',' && inside == 0 => {
                    args.push(Vec::new());
                    self.skip_blanks();
                    continue;
                }
                Token::Other(c) if c.byte == b')' && inside == 0 => break,
                Token::Other(c) if c.byte == b'(' => inside += 1,
                Token::Other(c) if c.byte == b')' => inside -= 1,
                _ => {}
            }
            let mut text = std::mem::take(&mut args[current]);
            self.take(token, &mut text)?;
            args[current] = text;
        }
        self.depth -= 1;
        Ok(args)
    }

    fn skip_blanks(&mut self) {
        while self.input.peek().is_some_and(|c| c.byte.is_ascii_whitespace()) {
            self.input.next();
        }
    }

    /// A body with its `$1`, `$#`, `$*`, `$@` replaced.
    fn substitute(&mut self, name: &[Char], body: &Rc<[Char]>, args: &[Text]) -> Done<Text> {
        let mut out = Vec::new();
        let mut i = 0;
        while i < body.len() {
            self.input.work += 1;
            let next = body.get(i + 1).map_or(0, |c| c.byte);
            if body[i].byte != b'$' || !matches!(next, b'0'..=b'9' | b'#' | b'*' | b'@') {
                out.push(body[i]);
                i += 1;
                continue;
            }
            let at = name[0];
            i += 2;
            match next {
                b'#' => out.extend(computed(&args.len().to_string(), at)),
                b'*' | b'@' => {
                    for (n, arg) in args.iter().enumerate() {
                        out.extend(computed(if n > 0 { "," } else { "" }, at));
                        out.extend(if next == b'@' { self.quote(arg, at) } else { arg.clone() });
                    }
                }
                first => {
                    let mut number = usize::from(first - b'0');
                    while let Some(digit) = body.get(i).filter(|c| c.byte.is_ascii_digit()).filter(|_| number < 1000) {
                        number = number * 10 + usize::from(digit.byte - b'0');
                        i += 1;
                    }
                    match number.checked_sub(1) {
                        None => out.extend_from_slice(name),
                        Some(n) => out.extend_from_slice(args.get(n).map_or(&[], Vec::as_slice)),
                    }
                }
            }
            if self.input.work + out.len() > limits::MAX_M4_WORK {
                self.input.work = limits::MAX_M4_WORK + 1;
                self.check_work()?;
            }
        }
        Ok(out)
    }

    /// A text in quotes.
    pub(super) fn quote(&self, text: &[Char], at: Char) -> Text {
        let quotes = &self.input.quotes;
        let mark = |bytes: &[u8]| bytes.iter().map(|byte| Char { byte: *byte, ..at }).collect::<Text>();
        let mut out = mark(&quotes.open);
        out.extend_from_slice(text);
        out.extend(mark(&quotes.close));
        out
    }
}
