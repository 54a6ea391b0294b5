//! Constants, types, variables, parameters.

use super::{Failed, Parsed, Parser};
use crate::esml::ast::{Declaration, Mode, Name, Parameter, Signal, TypeDefinition, Variables};
use crate::esml::token::{Keyword, Punct, TokenKind};
use crate::source::{Span, join};

impl Parser<'_> {
    /// All declarations. The parts may come in any order, and more than once.
    pub(super) fn declarations(&mut self) -> Vec<Declaration> {
        let mut all = Vec::new();
        loop {
            let (part, what) = match self.kind() {
                TokenKind::Keyword(k @ Keyword::Const) => (k, "the name of a constant"),
                TokenKind::Keyword(k @ Keyword::Type) => (k, "the name of a type"),
                TokenKind::Keyword(k @ Keyword::Var) => (k, "the name of a variable"),
                _ => return all,
            };
            self.bump();
            if self.kind() != TokenKind::Name {
                self.unexpected(what);
                self.recover_in_declarations();
            }
            while self.kind() == TokenKind::Name {
                match self.declaration(part) {
                    Ok(declaration) => {
                        all.push(declaration);
                        self.semicolon("this declaration");
                    }
                    Err(Failed) => self.recover_in_declarations(),
                }
            }
        }
    }

    fn declaration(&mut self, part: Keyword) -> Parsed<Declaration> {
        if part == Keyword::Var {
            return self.variables().map(Declaration::Variables);
        }
        let name = self.name("a name")?;
        self.expect(Punct::Equal, "`=`")?;
        if part == Keyword::Const {
            return Ok(Declaration::Constant { name, value: self.expression()? });
        }
        let definition = self.type_definition()?;
        let span = join(name.span, self.last());
        Ok(Declaration::Type { name, definition, span })
    }

    pub(super) fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// `a, b: T`
    fn variables(&mut self) -> Parsed<Variables> {
        let mut names = vec![self.name("a name")?];
        while self.eat(Punct::Comma).is_some() {
            names.push(self.name("a name")?);
        }
        self.expect(Punct::Colon, "`:` and a type")?;
        Ok(Variables { names, ty: self.type_name()? })
    }

    fn type_name(&mut self) -> Parsed<Name> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Boolean) => {
                let span = self.bump().span;
                Ok(Name { text: Keyword::Boolean.text().into(), span })
            }
            TokenKind::Name => self.name("a type"),
            TokenKind::Keyword(Keyword::Array | Keyword::List) | TokenKind::Punct(Punct::LeftBrace) => {
                let what = "the name of a type: define it under `TYPE` first";
                Err(self.unexpected(what))
            }
            _ => Err(self.unexpected("the name of a type")),
        }
    }

    fn type_definition(&mut self) -> Parsed<TypeDefinition> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Array) => {
                let (size, of) = self.sized("ARRAY")?;
                Ok(TypeDefinition::Array(size, of))
            }
            TokenKind::Keyword(Keyword::List) => {
                let (size, of) = self.sized("LIST")?;
                Ok(TypeDefinition::List(size, of))
            }
            TokenKind::Punct(Punct::LeftBrace) => self.alphabet(),
            TokenKind::Punct(Punct::LeftParen) if self.begins_tuple() => self.tuple(),
            TokenKind::Name if self.begins_enumeration() => {
                let mut symbols = vec![self.name("a name")?];
                while self.eat(Punct::Comma).is_some() {
                    symbols.push(self.name("the name of a value")?);
                }
                Ok(TypeDefinition::Enumeration(symbols))
            }
            _ => {
                let low = self.expression()?;
                self.expect(Punct::DotDot, "`..` and an upper bound")?;
                Ok(TypeDefinition::Subrange(low, self.expression()?))
            }
        }
    }

    fn begins_enumeration(&self) -> bool {
        matches!(self.ahead(1).kind, TokenKind::Punct(Punct::Comma | Punct::Semicolon))
    }

    fn begins_tuple(&self) -> bool {
        self.ahead(1).kind == TokenKind::Name
            && matches!(self.ahead(2).kind, TokenKind::Punct(Punct::Comma | Punct::Colon))
    }

    /// `[size] OF name`
    fn sized(&mut self, what: &str) -> Parsed<(crate::esml::ast::Expr, Name)> {
        self.bump();
        let open = self.expect(Punct::LeftBracket, &format!("`[` and the size of the {what}"))?;
        let size = self.expression()?;
        self.close(Punct::RightBracket, "the size", open)?;
        self.keyword(Keyword::Of, "`OF`")?;
        Ok((size, self.type_name()?))
    }

    fn tuple(&mut self) -> Parsed<TypeDefinition> {
        let open = self.bump().span;
        let mut fields = vec![self.variables()?];
        while self.eat(Punct::Semicolon).is_some() {
            fields.push(self.variables()?);
        }
        self.close(Punct::RightParen, "the tuple", open)?;
        Ok(TypeDefinition::Tuple(fields))
    }

    fn alphabet(&mut self) -> Parsed<TypeDefinition> {
        let open = self.bump().span;
        let mut signals = vec![self.signal()?];
        while self.eat(Punct::Comma).is_some() {
            signals.push(self.signal()?);
        }
        self.close(Punct::RightBrace, "the alphabet", open)?;
        Ok(TypeDefinition::Alphabet(signals))
    }

    fn signal(&mut self) -> Parsed<Signal> {
        let name = self.name("the name of a message")?;
        let mut data = None;
        if let Some(open) = self.eat(Punct::LeftParen) {
            data = Some(self.type_name()?);
            self.close(Punct::RightParen, "the type of the message", open)?;
        }
        Ok(Signal { name, data })
    }

    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut all = Vec::new();
        let Some(open) = self.eat(Punct::LeftParen) else { return Ok(all) };
        loop {
            let mode = match self.kind() {
                TokenKind::Keyword(Keyword::In) => Mode::Receive,
                TokenKind::Keyword(Keyword::Out) => Mode::Send,
                _ => Mode::Both,
            };
            if mode != Mode::Both {
                self.bump();
            }
            all.push(Parameter { mode, variables: self.variables()? });
            if self.eat(Punct::Semicolon).is_none() {
                break;
            }
        }
        self.close(Punct::RightParen, "the parameters", open)?;
        Ok(all)
    }
}
