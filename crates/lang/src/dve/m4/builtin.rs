//! The built-in macros of m4.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use super::evaluate::evaluate;
use super::input::Quotes;
use super::{Char, Done, Expander, Macro, Text, bytes, computed};
use crate::diagnostic::Diagnostic;
use crate::limits;

macro_rules! builtins {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Builtin { $($name),* }

        impl Builtin {
            pub(super) const ALL: &[(&str, Builtin)] = &[$(($text, Builtin::$name)),*];
        }
    };
}

builtins! {
    Define "define", Undefine "undefine", Defn "defn", Pushdef "pushdef", Popdef "popdef", Ifdef "ifdef",
    Ifelse "ifelse", Eval "eval", Incr "incr", Decr "decr", Shift "shift", Len "len", Index "index", Substr "substr",
    Translit "translit", Dnl "dnl", Divert "divert", Undivert "undivert", Divnum "divnum", Include "include",
    Sinclude "sinclude", Changequote "changequote", Changecom "changecom", Errprint "errprint", Syscmd "syscmd",
    Esyscmd "esyscmd", Format "format", Patsubst "patsubst", Regexp "regexp", M4wrap "m4wrap", M4exit "m4exit",
}

impl Builtin {
    /// Without arguments the name is just a name.
    pub(super) fn needs_arguments(self) -> bool {
        use Builtin as B;
        !matches!(self, B::Dnl | B::Divert | B::Undivert | B::Divnum | B::Changequote | B::Changecom)
    }
}

impl Expander<'_> {
    /// The result of a call of a built-in macro.
    pub(super) fn builtin(&mut self, builtin: Builtin, at: Char, args: Vec<Text>) -> Done<Text> {
        use Builtin as B;
        let arg = |i: usize| args.get(i).cloned().unwrap_or_default();
        let name = bytes(&arg(0));
        match builtin {
            B::Define | B::Pushdef => {
                self.record_definition(&arg(0));
                let stack = self.macros.entry(name).or_default();
                if builtin == B::Define {
                    stack.pop();
                }
                stack.push(Macro::Text(arg(1).into()));
            }
            B::Undefine => {
                self.macros.remove(&name);
            }
            B::Popdef => {
                if let Some(stack) = self.macros.get_mut(&name) {
                    stack.pop();
                    if stack.is_empty() {
                        self.macros.remove(&name);
                    }
                }
            }
            B::Defn => {
                if let Some(Macro::Text(body)) = self.macros.get(&name).and_then(|s| s.last()) {
                    return Ok(self.quote(body, at));
                }
            }
            B::Ifdef => return Ok(arg(if self.macros.contains_key(&name) { 1 } else { 2 })),
            B::Ifelse => return Ok(choose(&args)),
            B::Eval | B::Incr | B::Decr => return self.arithmetic(builtin, at, &args),
            B::Shift => {
                let mut out = Vec::new();
                for (i, arg) in args.iter().enumerate().skip(1) {
                    out.extend(computed(if i > 1 { "," } else { "" }, at));
                    out.extend(self.quote(arg, at));
                }
                return Ok(out);
            }
            B::Len => return Ok(computed(&name.len().to_string(), at)),
            B::Index => {
                let wanted = bytes(&arg(1));
                let found = (0..=name.len()).find(|i| name[*i..].starts_with(&wanted));
                return Ok(computed(&found.map_or(-1, |i| i as i64).to_string(), at));
            }
            B::Substr => return self.substring(at, &args),
            B::Translit => return Ok(translate(&args)),
            B::Dnl => while self.input.next().is_some_and(|c| c.byte != b'\n') {},
            B::Divert => {
                self.current = if name.is_empty() { 0 } else { self.number(at, &arg(0))? };
            }
            B::Undivert => self.undivert(at, &args)?,
            B::Divnum => return Ok(computed(&self.current.to_string(), at)),
            B::Include | B::Sinclude => return self.include(builtin, at, &arg(0)),
            B::Changequote => {
                let Quotes { open, close, .. } = Quotes::default();
                let (first, second) = (bytes(&arg(0)), bytes(&arg(1)));
                let quotes = &mut self.input.quotes;
                quotes.open = if args.is_empty() { open } else { first };
                quotes.close = if second.is_empty() { close } else { second };
            }
            B::Changecom => self.input.quotes.comment = name,
            B::Errprint => {}
            B::Syscmd | B::Esyscmd | B::Format | B::Patsubst | B::Regexp | B::M4wrap | B::M4exit => {
                let name = B::ALL.iter().find(|(_, b)| *b == builtin).map_or("", |(name, _)| name);
                let wrong = format!("m4's `{name}` is not supported");
                return self.fail(Diagnostic::error(at.span(), wrong, "used here"));
            }
        }
        Ok(Vec::new())
    }

    fn arithmetic(&mut self, builtin: Builtin, at: Char, args: &[Text]) -> Done<Text> {
        let first = args.first().map_or(&[][..], Vec::as_slice);
        let value = match builtin {
            Builtin::Incr => self.number(at, first)?.wrapping_add(1),
            Builtin::Decr => self.number(at, first)?.wrapping_sub(1),
            _ => self.number(at, first)?,
        };
        if args.len() > 1 && bytes(&args[1]) != b"10" && !args[1].is_empty() {
            return self.fail(Diagnostic::error(at.span(), "`eval` gives decimal numbers only", "another base here"));
        }
        Ok(computed(&value.to_string(), at))
    }

    /// The value of an arithmetic expression.
    fn number(&mut self, at: Char, text: &[Char]) -> Done<i32> {
        let written = String::from_utf8_lossy(&bytes(text)).into_owned();
        match evaluate(&written) {
            Ok(value) => Ok(value),
            Err(why) => {
                let shown: String = written.trim().chars().take(40).collect();
                let wrong = format!("`{shown}` can't be computed: {why}");
                self.fail(Diagnostic::error(at.span(), wrong, "in this macro"))
            }
        }
    }

    fn substring(&mut self, at: Char, args: &[Text]) -> Done<Text> {
        let text = args.first().cloned().unwrap_or_default();
        let from = args.get(1).map_or(Ok(0), |a| self.number(at, a))?;
        let length = args.get(2).map_or(Ok(i32::MAX), |a| self.number(at, a))?;
        if from < 0 || length <= 0 {
            return Ok(Vec::new());
        }
        Ok(text.into_iter().skip(from as usize).take(length as usize).collect())
    }

    fn undivert(&mut self, at: Char, args: &[Text]) -> Done<()> {
        let mut numbers = Vec::new();
        for arg in args {
            numbers.push(self.number(at, arg)?);
        }
        if args.is_empty() {
            numbers.extend(self.diverted.keys().copied());
        }
        let current = self.current;
        for number in numbers.into_iter().filter(|n| *n > 0 && *n != current) {
            let text = self.diverted.remove(&number).unwrap_or_default();
            self.output(&text);
        }
        Ok(())
    }

    /// The first file with this name: in the directory of the model, then in the include directories.
    fn find(&self, name: &str) -> (PathBuf, io::Result<Vec<u8>>) {
        let mut found = (self.folder.join(name), Err(ErrorKind::NotFound.into()));
        for folder in std::iter::once(&self.folder).chain(self.include_dirs) {
            let path = folder.join(name);
            let read = self.loader.read(&path);
            let missing = read.as_ref().is_err_and(|e| e.kind() == ErrorKind::NotFound);
            found = (path, read);
            if !missing {
                break;
            }
        }
        found
    }

    fn include(&mut self, builtin: Builtin, at: Char, name: &[Char]) -> Done<Text> {
        let name = String::from_utf8_lossy(&bytes(name)).into_owned();
        if self.sources.files().len() > limits::MAX_INCLUDE_DEPTH {
            return self.fail(Diagnostic::error(at.span(), "too many files are included", "by this macro"));
        }
        let (path, read) = self.find(&name);
        match read {
            Ok(text) if text.len() <= limits::MAX_M4_WORK => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let file = self.sources.add(path.display().to_string(), text);
                Ok(super::placed(&self.sources.file(file).text, file.0 as u16, 0))
            }
            Err(e) if builtin == Builtin::Sinclude && e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) if e.kind() != ErrorKind::NotFound => {
                self.fail(Diagnostic::error(at.span(), format!("cannot read `{name}`: {e}"), "included here"))
            }
            _ => self.fail(Diagnostic::error(at.span(), format!("cannot read `{name}`"), "included here")),
        }
    }
}

/// `ifelse(a, b, if equal, c, d, if equal, otherwise)`
fn choose(args: &[Text]) -> Text {
    let mut rest = args;
    loop {
        match rest {
            [a, b, then, ..] if bytes(a) == bytes(b) => return then.clone(),
            [_, _, _, otherwise] => return otherwise.clone(),
            [_, _, _, more @ ..] if more.len() > 1 => rest = more,
            _ => return Vec::new(),
        }
    }
}

fn translate(args: &[Text]) -> Text {
    let get = |i: usize| args.get(i).map(|a| bytes(a)).unwrap_or_default();
    let (from, to) = (get(1), get(2));
    let text = args.first().cloned().unwrap_or_default();
    let change = |c: Char| match from.iter().position(|b| *b == c.byte) {
        None => Some(c),
        Some(i) => to.get(i).map(|byte| Char { byte: *byte, ..c }),
    };
    text.into_iter().filter_map(change).collect()
}
