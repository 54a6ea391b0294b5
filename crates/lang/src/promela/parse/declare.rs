//! Declarations of variables, channels and symbolic constants.

use super::{Parsed, Parser, Sym};
use crate::diagnostic::Diagnostic;
use crate::promela::ast::{Decl, Expr, Init, Name, TypeName, Unit, VarDecl, Visibility};
use crate::promela::token::{Keyword, Punct};
use crate::source::{Span, join};

/// A declaration of variables or of symbolic constants.
enum Declared {
    Variables(Decl),
    Symbols { kind: Option<Name>, symbols: Vec<Name>, span: Span },
}

impl Parser<'_> {
    pub(super) fn at_declaration(&mut self) -> bool {
        use Keyword as K;
        match self.sym() {
            Sym::TypeName => true,
            Sym::Keyword(k) => matches!(
                k,
                K::Hidden
                    | K::Local
                    | K::Show
                    | K::Bit
                    | K::Bool
                    | K::Byte
                    | K::Pid
                    | K::Short
                    | K::Int
                    | K::Unsigned
                    | K::Mtype
                    | K::Chan
            ),
            _ => false,
        }
    }

    /// A global declaration.
    pub(super) fn declaration_unit(&mut self) -> Parsed<Unit> {
        Ok(match self.declared()? {
            Declared::Variables(decl) => Unit::Decl(decl),
            Declared::Symbols { kind, symbols, .. } => Unit::Mtype { kind, symbols },
        })
    }

    /// A declaration where only variables may be declared.
    pub(super) fn declaration(&mut self) -> Parsed<Decl> {
        match self.declared()? {
            Declared::Variables(decl) => Ok(decl),
            Declared::Symbols { span, .. } => {
                let what = "symbolic constants can only be declared outside proctypes";
                Err(self.report(Diagnostic::error(span, what, "").help("move this `mtype = { … }` to the top level")))
            }
        }
    }

    fn declared(&mut self) -> Parsed<Declared> {
        let start = self.log.len();
        let visibility = match self.sym() {
            Sym::Keyword(Keyword::Hidden) => Some(Visibility::Hidden),
            Sym::Keyword(Keyword::Local) => Some(Visibility::Local),
            Sym::Keyword(Keyword::Show) => Some(Visibility::Show),
            _ => None,
        };
        if visibility.is_some() {
            self.bump();
        }
        let is_mtype = self.at_keyword(Keyword::Mtype);
        let ty = self.type_name()?;
        if is_mtype {
            let assigned = self.eat(Punct::Equal).is_some();
            let kind = match &ty {
                TypeName::Mtype(kind) => kind.clone(),
                _ => None,
            };
            if assigned || (kind.is_none() && self.at(Punct::LeftBrace)) {
                let symbols = self.symbols()?;
                return Ok(Declared::Symbols { kind, symbols, span: self.span_from(start) });
            }
        }
        let mut vars = vec![self.variable(&ty)?];
        while self.eat(Punct::Comma).is_some() {
            vars.push(self.variable(&ty)?);
        }
        Ok(Declared::Variables(Decl { visibility, ty, vars, span: self.span_from(start) }))
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        use Keyword as K;
        let sym = self.sym();
        let ty = match sym {
            Sym::TypeName => {
                let token = self.bump();
                return Ok(TypeName::User(Name::of(&token)));
            }
            Sym::Keyword(K::Bit) => TypeName::Bit,
            Sym::Keyword(K::Bool) => TypeName::Bool,
            Sym::Keyword(K::Byte) => TypeName::Byte,
            Sym::Keyword(K::Pid) => TypeName::Pid,
            Sym::Keyword(K::Short) => TypeName::Short,
            Sym::Keyword(K::Int) => TypeName::Int,
            Sym::Keyword(K::Unsigned) => TypeName::Unsigned,
            Sym::Keyword(K::Chan) => TypeName::Chan,
            Sym::Keyword(K::Mtype) => TypeName::Mtype(None),
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        if matches!(ty, TypeName::Mtype(_)) && self.eat(Punct::Colon).is_some() {
            return Ok(TypeName::Mtype(Some(self.name("the name of an mtype")?)));
        }
        Ok(ty)
    }

    /// `{ a, b c }`: commas are optional.
    fn symbols(&mut self) -> Parsed<Vec<Name>> {
        let open = self.expect(Punct::LeftBrace)?;
        let mut symbols = vec![self.name("a symbolic constant")?];
        loop {
            if self.eat(Punct::Comma).is_some() {
                continue;
            }
            if self.at(Punct::RightBrace) {
                break;
            }
            if !matches!(self.sym(), Sym::Name | Sym::Symbol | Sym::TypeName | Sym::ProcName | Sym::InlineName) {
                return Err(self.unclosed("`}`", "the list of symbolic constants", open.span));
            }
            symbols.push(self.name("a symbolic constant")?);
        }
        self.bump();
        for symbol in &symbols {
            self.names.symbols.insert(symbol.text.as_str().into(), symbol.span);
        }
        Ok(symbols)
    }

    fn variable(&mut self, ty: &TypeName) -> Parsed<VarDecl> {
        let start = self.log.len();
        let name = self.name("the name of a variable")?;
        let mut width = None;
        let mut len = None;
        if let Some(colon) = self.eat(Punct::Colon) {
            if !matches!(ty, TypeName::Unsigned) {
                let what = "only `unsigned` variables have a width";
                self.report(
                    Diagnostic::error(colon.span, what, "").help(format!("write `unsigned {} : …`", name.text)),
                );
            }
            width = Some(self.literal()?);
        } else if let Some(open) = self.eat(Punct::LeftBracket) {
            len = Some(self.constant()?);
            self.close(Punct::RightBracket, "the array's length", open.span)?;
        }
        let init = if self.eat(Punct::Equal).is_some() { Some(self.initial(&name, len.is_some())?) } else { None };
        Ok(VarDecl { name, width, len, init, span: self.span_from(start) })
    }

    fn initial(&mut self, name: &Name, array: bool) -> Parsed<Init> {
        match self.sym() {
            Sym::Punct(Punct::LeftBrace) => {
                let open = self.bump();
                let mut values = vec![self.literal()?];
                while self.eat(Punct::Comma).is_some() {
                    values.push(self.literal()?);
                }
                self.close(Punct::RightBrace, "the list of initial values", open.span)?;
                if !array {
                    let what = format!("`{}` is not an array, so it takes one initial value", name.text);
                    self.complained_at = None;
                    self.report(Diagnostic::error(open.span, what, "a list of values"));
                }
                Ok(Init::List(values))
            }
            Sym::Punct(Punct::LeftBracket) => self.channel(),
            _ => Ok(Init::Expr(self.expr()?)),
        }
    }

    /// `[n] of { types }`
    fn channel(&mut self) -> Parsed<Init> {
        let open = self.bump();
        let capacity = self.constant()?;
        self.close(Punct::RightBracket, "the channel's capacity", open.span)?;
        self.expect_keyword(Keyword::Of)?;
        let open = self.expect(Punct::LeftBrace)?;
        let mut fields = vec![self.field()?];
        while self.eat(Punct::Comma).is_some() {
            fields.push(self.field()?);
        }
        self.close(Punct::RightBrace, "the list of message fields", open.span)?;
        Ok(Init::Channel { capacity, fields })
    }

    fn field(&mut self) -> Parsed<(TypeName, Span)> {
        let span = self.here();
        let ty = self.type_name()?;
        if matches!(ty, TypeName::Unsigned) {
            let what = "a message field cannot be `unsigned`";
            return Err(self.report(Diagnostic::error(span, what, "").help("use `byte`, `short` or `int`")));
        }
        let end = self.log.last().map_or(span, |t| t.span);
        Ok((ty, join(span, end)))
    }

    /// A bare constant.
    pub(super) fn literal(&mut self) -> Parsed<Expr> {
        if !self.at_constant() {
            return Err(self.unexpected("a constant"));
        }
        self.primary_constant()
    }

    /// A constant expression, or a name whose initial value counts.
    pub(super) fn constant(&mut self) -> Parsed<Expr> {
        let start = self.log.len();
        let expr = self.expr()?;
        let plain = |text: &str| matches!(text, "+" | "-" | "*" | "/" | "%" | "(" | ")");
        let simple = self.log.len() == start + 1;
        let odd = self.log[start..].iter().find(|t| {
            !(plain(&t.text) || matches!(self.classify(t), Sym::Number | Sym::Char | Sym::Symbol) || is_truth(&t.text))
        });
        match odd.cloned() {
            Some(token) if !simple => {
                let what = "expected a constant expression";
                let help = "only constants, `+ - * / %` and parentheses can be used here";
                Err(self.report(Diagnostic::error(token.span, what, "this is not constant").help(help)))
            }
            _ => Ok(expr),
        }
    }
}

fn is_truth(text: &str) -> bool {
    matches!(text, "true" | "false" | "skip")
}
