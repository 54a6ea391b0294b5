//! Variables and channels.

use super::{Parse, Parser};
use crate::dve::ast::{Basic, Channel, Initialiser, Typed, Variable};

impl Parser<'_> {
    /// `const byte a = 1, b[2] = {3, 4};`
    pub(super) fn variables(&mut self, into: &mut Vec<Variable>) -> Parse<()> {
        let constant = self.eat("const").is_some();
        let basic = self.basic()?;
        into.extend(self.list(|p| p.variable(basic, constant))?);
        self.end_of("a declaration")
    }

    fn basic(&mut self) -> Parse<Basic> {
        if self.eat("byte").is_some() {
            return Ok(Basic::Byte);
        }
        if self.eat("int").is_some() {
            return Ok(Basic::Int);
        }
        Err(self.unexpected("`byte` or `int`"))
    }

    fn variable(&mut self, basic: Basic, constant: bool) -> Parse<Variable> {
        let name = self.name("the name of a variable")?;
        let size = match self.eat("[") {
            Some(open) => {
                let size = self.expr()?;
                self.close("]", "the size of an array", open.span)?;
                Some(size)
            }
            None => None,
        };
        let init = match self.eat("=") {
            Some(_) => Some(self.initialiser()?),
            None => None,
        };
        Ok(Variable { name, basic, constant, size, init })
    }

    fn initialiser(&mut self) -> Parse<Initialiser> {
        let Some(open) = self.eat("{") else { return Ok(Initialiser::One(self.expr()?)) };
        let values = self.list(Self::expr)?;
        let close = self.close("}", "a list of values", open.span)?;
        Ok(Initialiser::List(values, super::join(open.span, close)))
    }

    /// `channel a, b;` or `channel {byte, int} c[4], d[0];`
    pub(super) fn channels(&mut self, into: &mut Vec<Channel>) -> Parse<()> {
        self.bump();
        let Some(open) = self.eat("{") else {
            let untyped = self.list(|p| Ok(Channel { name: p.name("the name of a channel")?, typed: None }))?;
            into.extend(untyped);
            return self.end_of("a declaration of channels");
        };
        let fields = self.list(Self::basic)?;
        self.close("}", "the types of a channel", open.span)?;
        let typed = self.list(|p| {
            let name = p.name("the name of a channel")?;
            let open = p.expect("[")?;
            let capacity = p.expr()?;
            p.close("]", "the size of a channel", open.span)?;
            Ok(Channel { name, typed: Some(Typed { fields: fields.clone(), capacity }) })
        })?;
        into.extend(typed);
        self.end_of("a declaration of channels")
    }
}
