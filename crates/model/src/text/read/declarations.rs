//! From the text form to a model: declarations.

use super::super::lex::Token;
use super::super::print::USUAL_PRIORITY;
use super::super::scope::Table;
use super::{Read, Reader, declared, tag_of};
use crate::ir::{
    Channel, ChannelId, Enum, Goal, Init, Model, Observer, Property, PropertyKind, Scheduling, Shows, SourceFile,
    Start, Trace, Type, Var,
};

impl Reader {
    /// Collects the names of all declarations, since expressions may mention what is declared later.
    pub(super) fn declare(&mut self) {
        for pair in self.tokens.windows(2) {
            let (Token::Word(word), Some(name)) = (&pair[0].token, declared(&pair[1].token)) else { continue };
            match word.as_str() {
                "enum" => self.scope.enums.add(name),
                "channel" => self.scope.channels.add(name),
                "global" => self.scope.globals.add(name),
                "automaton" => self.bodies.push(Table::default()),
                "process" => {
                    self.scope.processes.add(name);
                    self.types.push(self.bodies.len());
                    self.bodies.push(Table::default());
                }
                "param" | "local" => self.bodies.iter_mut().rev().take(1).for_each(|body| body.add(name)),
                _ => {}
            }
        }
    }

    pub(super) fn model(&mut self) -> Read<Model> {
        let mut model = Model::default();
        if self.takes_word("model") {
            model.name = self.string()?;
            self.expect_word("in")?;
            model.language = self.string()?;
        }
        while *self.peek() != Token::End {
            self.item(&mut model)?;
        }
        Ok(model)
    }

    fn item(&mut self, model: &mut Model) -> Read<()> {
        let Token::Word(word) = self.peek().clone() else { return self.expected("a declaration") };
        match word.as_str() {
            "process" => model.processes.push(self.process()?),
            "observer" if model.observer.is_none() => model.observer = Some(self.observer()?),
            "trace" | "notrace" if model.trace.is_none() => model.trace = Some(self.trace()?),
            "observer" | "trace" | "notrace" => return self.error(format!("a second {word}")),
            _ => {
                self.advance();
                return self.declaration(&word, model);
            }
        }
        Ok(())
    }

    /// A declaration whose keyword is already taken.
    fn declaration(&mut self, word: &str, model: &mut Model) -> Read<()> {
        match word {
            "synchronous" => model.scheduling = Scheduling::Synchronous,
            "uses" => self.uses(model)?,
            "file" => model.files.push(self.file()?),
            "enum" => model.enums.push(self.symbols()?),
            "channel" => model.channels.push(self.channel()?),
            "global" => model.globals.push(self.var(Init::Zero)?),
            "start" => self.starts(&mut model.start)?,
            "goal" if model.goal.is_none() => model.goal = Some(self.goal()?),
            "property" => model.properties.push(self.property()?),
            _ => {
                self.at -= 1;
                return self.expected("a declaration");
            }
        }
        Ok(())
    }

    fn uses(&mut self, model: &mut Model) -> Read<()> {
        let flag = match self.peek() {
            Token::Word(word) if word == "last" => &mut model.uses_last,
            Token::Word(word) if word == "priority" => &mut model.uses_priorities,
            Token::Word(word) if word == "timeout" => &mut model.uses_timeout,
            _ => return self.expected("`last`, `priority` or `timeout`"),
        };
        *flag = true;
        self.advance();
        Ok(())
    }

    fn file(&mut self) -> Read<SourceFile> {
        let name = self.string()?;
        let asked = self.takes_word("asked");
        self.expect_word("text")?;
        Ok(SourceFile { name, text: self.string()?, asked })
    }

    fn symbols(&mut self) -> Read<Enum> {
        let name = self.name()?;
        self.expect("{")?;
        let symbols = self.list("}", |r| {
            let symbol = r.name()?;
            r.expect("=")?;
            Ok((symbol, r.number()?))
        })?;
        Ok(Enum { name, symbols })
    }

    fn channel(&mut self) -> Read<Channel> {
        let name = self.name()?;
        self.expect(":")?;
        self.expect("[")?;
        let capacity = self.number()?;
        self.expect("]")?;
        self.expect_word("of")?;
        self.expect("{")?;
        let fields = self.list("}", Reader::ty)?;
        Ok(Channel { name, capacity, fields, span: self.span()? })
    }

    fn ty(&mut self) -> Read<Type> {
        let (signed, tag) = if tag_of(self.peek(), 'i').is_some() { (true, 'i') } else { (false, 'u') };
        let Some(bits) = tag_of(self.peek(), tag).and_then(|bits| u8::try_from(bits).ok()) else {
            return self.expected("a type");
        };
        self.advance();
        let shows = if self.takes_word("as") { self.shows()? } else { Shows::Number };
        Ok(Type { bits, signed, shows })
    }

    fn shows(&mut self) -> Read<Shows> {
        if self.takes_word("enum") {
            return self.enum_id().map(Shows::Symbol);
        }
        let known = [("bool", Shows::Bool), ("chan", Shows::Channel), ("pid", Shows::Pid)];
        match known.into_iter().find(|(word, _)| self.takes_word(word)) {
            Some((_, shows)) => Ok(shows),
            None => self.expected("`bool`, `enum`, `chan` or `pid`"),
        }
    }

    /// A variable whose keyword is already taken; `usual` is its initial value if none is given.
    pub(super) fn var(&mut self, usual: Init) -> Read<Var> {
        let name = self.name()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let mut dims = Vec::new();
        while self.takes("[") {
            dims.push(self.number()?);
            self.expect("]")?;
        }
        let range = if self.takes_word("in") { Some(self.range()?) } else { None };
        let init = if self.takes("=") { self.init()? } else { usual };
        let hidden = self.takes_word("hidden");
        Ok(Var { name, ty, dims, init, range, hidden, span: self.span()? })
    }

    fn range(&mut self) -> Read<(i32, i32)> {
        let low = self.number()?;
        self.expect("..")?;
        Ok((low, self.number()?))
    }

    fn init(&mut self) -> Read<Init> {
        if self.takes_word("zero") {
            Ok(Init::Zero)
        } else if self.takes_word("argument") {
            Ok(Init::Param)
        } else if self.takes_word("new") {
            let reference = self.reference()?;
            let id = self.resolve(&reference, "channel", Some(&self.scope.channels))?;
            Ok(Init::Channels(ChannelId(id)))
        } else if self.takes("{") {
            self.list("}", Reader::expr).map(Init::List)
        } else {
            self.expr().map(Init::All)
        }
    }

    fn starts(&mut self, starts: &mut Vec<Start>) -> Read<()> {
        loop {
            let process = self.process_id()?;
            let args = if self.takes("(") { self.list(")", Reader::expr)? } else { Vec::new() };
            let priority = if self.takes_word("priority") { self.number()? } else { USUAL_PRIORITY };
            starts.push(Start { process, args, priority });
            if !self.takes(",") {
                return Ok(());
            }
        }
    }

    fn trace(&mut self) -> Read<Trace> {
        let negated = self.is_word("notrace");
        self.advance();
        self.expect_word("end")?;
        let end = self.location()?;
        Ok(Trace { automaton: self.automaton()?, negated, end })
    }

    fn observer(&mut self) -> Read<Observer> {
        self.expect_word("observer")?;
        let stutters = self.takes_word("stutters");
        let labels = self.takes_word("labels");
        let marks = if self.takes_word("marks") {
            self.expect("(")?;
            self.list(")", Reader::number)?
        } else {
            Vec::new()
        };
        Ok(Observer { automaton: self.automaton()?, stutters, labels, marks })
    }

    fn goal(&mut self) -> Read<Goal> {
        let condition = self.expr()?;
        let text = if self.takes_word("text") { self.string()? } else { String::new() };
        Ok(Goal { condition, text, span: self.some_span()? })
    }

    fn property(&mut self) -> Read<Property> {
        let name = self.name()?;
        let kinds = [
            ("ltl", PropertyKind::Ltl),
            ("ctl", PropertyKind::Ctl),
            ("never", PropertyKind::Never),
            ("process", PropertyKind::Process),
        ];
        let Some((_, kind)) = kinds.into_iter().find(|(word, _)| self.takes_word(word)) else {
            return self.expected("`ltl`, `ctl`, `never` or `process`");
        };
        let text = if self.takes_word("text") { self.string()? } else { String::new() };
        let formula = if self.takes_word("formula") { self.string()? } else { String::new() };
        let span = self.span()?;
        let observer = if self.takes_word("with") { Some(self.observer()?) } else { None };
        Ok(Property { name, kind, text, formula, observer, span })
    }
}
