//! From the text form to a model: effects and expressions.

use super::super::lex::Token;
use super::super::scope::Table;
use super::{Read, Reader, Reference, declared};
use crate::ir::{
    BinaryOp, ChannelQuery, Effect, Expr, LocId, Pattern, Piece, Place, Print, ProcessId, UnaryOp, VarId, VarRef,
};

/// Expressions within each other. The bound keeps every recursive walk over an expression shallow: a stack of 2 MiB is
/// enough, also for a debug build.
const MAX_NESTING: usize = 1_200;

/// An expression that is one word.
fn plain(word: &str) -> Option<Expr> {
    Some(match word {
        "pid" => Expr::Pid,
        "processes" => Expr::ProcessCount,
        "last" => Expr::Last,
        "timeout" => Expr::Timeout,
        "nonprogress" => Expr::NonProgress,
        "input" => Expr::Input,
        _ => return None,
    })
}

impl Reader {
    pub(super) fn effect(&mut self) -> Read<Effect> {
        if self.takes_word("assert") {
            self.expr().map(Effect::Assert)
        } else if self.takes_word("require") {
            let condition = self.expr()?;
            let message = if matches!(self.peek(), Token::Text(_)) { self.string()? } else { String::new() };
            Ok(Effect::Require { condition, message })
        } else if self.takes_word("print") {
            self.print().map(Effect::Print)
        } else if self.takes_word("run") {
            self.run(None)
        } else if self.takes_word("priority") {
            let pid = self.expr()?;
            self.expect("=")?;
            Ok(Effect::SetPriority { pid, priority: self.expr()? })
        } else if self.takes_word("remove") {
            Ok(Effect::Remove)
        } else {
            let place = self.place()?;
            self.expect("=")?;
            if self.takes_word("run") { self.run(Some(place)) } else { Ok(Effect::Assign(place, self.expr()?)) }
        }
    }

    fn run(&mut self, result: Option<Place>) -> Read<Effect> {
        let process = self.process_id()?;
        self.expect("(")?;
        let args = self.list(")", Reader::expr)?;
        let priority = if self.takes_word("priority") { Some(self.expr()?) } else { None };
        Ok(Effect::Run { process, args, priority, result })
    }

    fn print(&mut self) -> Read<Print> {
        let mut pieces = Vec::new();
        loop {
            if matches!(self.peek(), Token::Text(_)) {
                pieces.push(Piece::Text(self.string()?));
            } else if self.takes("%") {
                pieces.push(self.conversion()?);
            } else {
                return Ok(Print { pieces });
            }
        }
    }

    fn conversion(&mut self) -> Read<Piece> {
        if self.takes_word("symbol") {
            return Ok(Piece::Symbol(self.enum_id()?, self.expr()?));
        }
        let (Token::Word(letter) | Token::Text(letter)) = self.peek() else { return self.expected("a conversion") };
        let mut letters = letter.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { return self.expected("one letter") };
        self.advance();
        Ok(Piece::Value(letter, self.expr()?))
    }

    pub(super) fn pattern(&mut self) -> Read<Pattern> {
        if self.takes("=") {
            self.expr().map(Pattern::Match)
        } else if self.takes_word("_") {
            Ok(Pattern::Any)
        } else {
            self.place().map(Pattern::Store)
        }
    }

    fn place(&mut self) -> Read<Place> {
        Ok(Place { var: self.var_ref()?, index: self.indices()? })
    }

    /// `x`, `x#3` or `#3`, of the process that is read or else global; `global::x`.
    fn var_ref(&mut self) -> Read<VarRef> {
        if self.takes_word("global") {
            return self.rest_of_global();
        }
        let reference = self.reference()?;
        self.own_or_global(&reference)
    }

    fn own_or_global(&self, reference: &Reference) -> Read<VarRef> {
        let own = self.locals();
        let is_own = |name: &String| own.is_some_and(|own| own.has(name));
        if reference.name.as_ref().is_none_or(is_own) {
            return self.resolve(reference, "variable", own).map(|id| VarRef::Local(VarId(id)));
        }
        self.global(reference)
    }

    fn rest_of_global(&mut self) -> Read<VarRef> {
        self.expect("::")?;
        let reference = self.reference()?;
        self.global(&reference)
    }

    fn global(&self, reference: &Reference) -> Read<VarRef> {
        self.resolve(reference, "variable", Some(&self.scope.globals)).map(|id| VarRef::Global(VarId(id)))
    }

    fn locals(&self) -> Option<&Table> {
        self.bodies.get(self.body?)
    }

    fn indices(&mut self) -> Read<Vec<Expr>> {
        let mut index = Vec::new();
        while self.takes("[") {
            index.push(self.expr()?);
            self.expect("]")?;
        }
        Ok(index)
    }

    pub(super) fn expr(&mut self) -> Read<Expr> {
        if self.depth == MAX_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let expr = self.operand()?;
        let expr = if self.is_mark("?") && *self.second() == Token::Mark("[") || self.is_mark("??") {
            self.poll(expr)?
        } else {
            expr
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn too_deep(&self) -> Read<Expr> {
        self.error(format!("more than {MAX_NESTING} expressions within each other"))
    }

    fn constant(&mut self) -> Read<Expr> {
        self.number().map(Expr::Const)
    }

    fn operand(&mut self) -> Read<Expr> {
        match self.peek() {
            Token::Number(_) => self.constant(),
            Token::Mark("(") => {
                self.advance();
                self.rest_of_parentheses()
            }
            Token::Mark("-") if matches!(self.second(), Token::Number(_)) => self.constant(),
            Token::Mark("-") => self.unary(UnaryOp::Neg),
            Token::Mark("!") => self.unary(UnaryOp::Not),
            Token::Mark("~") => self.unary(UnaryOp::Complement),
            _ => self.named(),
        }
    }

    fn unary(&mut self, op: UnaryOp) -> Read<Expr> {
        self.advance();
        Ok(Expr::Unary(op, Box::new(self.expr()?)))
    }

    /// `a)`, `a + b)` or `a ? b : c)`.
    fn rest_of_parentheses(&mut self) -> Read<Expr> {
        let first = self.expr()?;
        if self.takes(")") {
            return Ok(first);
        }
        let expr = if self.takes("?") { self.rest_of_condition(first) } else { self.rest_of_binary(first) }?;
        self.expect(")")?;
        Ok(expr)
    }

    fn rest_of_condition(&mut self, test: Expr) -> Read<Expr> {
        let yes = self.expr()?;
        self.expect(":")?;
        Ok(Expr::Cond(Box::new([test, yes, self.expr()?])))
    }

    fn rest_of_binary(&mut self, first: Expr) -> Read<Expr> {
        match BinaryOp::ALL.into_iter().find(|op| self.takes(op.symbol())) {
            Some(op) => Ok(Expr::binary(op, first, self.expr()?)),
            None => self.expected("an operator or `)`"),
        }
    }

    fn poll(&mut self, channel: Expr) -> Read<Expr> {
        let anywhere = self.is_mark("??");
        self.advance();
        self.expect("[")?;
        Ok(Expr::Poll { channel: Box::new(channel), args: self.list("]", Reader::pattern)?, anywhere })
    }

    /// An expression that begins with a word or a reference.
    fn named(&mut self) -> Read<Expr> {
        let Token::Word(word) = self.peek() else { return self.reference_or_instance() };
        if let Some(expr) = plain(word) {
            self.advance();
            return Ok(expr);
        }
        if let Some(query) = ChannelQuery::ALL.into_iter().find(|query| query.name() == word) {
            return self.function(|channel| Expr::Channel(query, channel));
        }
        match word.as_str() {
            "enabled" => self.function(Expr::Enabled),
            "location" => self.function(Expr::Location),
            "priority" => self.function(Expr::Priority),
            "observer" => self.observer_at(),
            "fault" => self.fault(),
            _ => self.reference_or_instance(),
        }
    }

    fn observer_at(&mut self) -> Read<Expr> {
        self.advance();
        self.expect("@")?;
        self.locations().map(Expr::ObserverAt)
    }

    fn fault(&mut self) -> Read<Expr> {
        self.advance();
        self.expect("(")?;
        let message = self.string()?;
        self.expect(")")?;
        Ok(Expr::Fault(message))
    }

    /// A word that is already known, and its operand.
    fn function(&mut self, make: impl FnOnce(Box<Expr>) -> Expr) -> Read<Expr> {
        self.advance();
        self.expect("(")?;
        let operand = Box::new(self.expr()?);
        self.expect(")")?;
        Ok(make(operand))
    }

    /// A variable, or something about processes: `p@L1`, `p[1]::x`.
    fn reference_or_instance(&mut self) -> Read<Expr> {
        if self.is_word("global") {
            return self.place().map(Expr::Load);
        }
        if declared(self.peek()).is_none() && !self.is_mark("#") {
            return self.expected("an expression");
        }
        let reference = self.reference()?;
        let index = self.indices()?;
        if self.is_mark("::") || self.is_mark("@") && !matches!(self.second(), Token::Number(_)) {
            return self.instance(&reference, index);
        }
        Ok(Expr::Load(Place { var: self.own_or_global(&reference)?, index }))
    }

    fn instance(&mut self, reference: &Reference, index: Vec<Expr>) -> Read<Expr> {
        let process = self.resolve(reference, "process", Some(&self.scope.processes)).map(ProcessId)?;
        let mut index = index.into_iter();
        let pid = index.next().map(Box::new);
        if index.next().is_some() {
            return self.error("more than one process number");
        }
        if self.takes("@") {
            return Ok(Expr::At { process, pid, locations: self.locations()? });
        }
        self.expect("::")?;
        let var = self.remote_var(process)?;
        Ok(Expr::Remote { process, pid, place: Place { var, index: self.indices()? } })
    }

    fn remote_var(&mut self, process: ProcessId) -> Read<VarRef> {
        if self.takes_word("global") {
            return self.rest_of_global();
        }
        let reference = self.reference()?;
        let body = self.types.get(process.index()).and_then(|body| self.bodies.get(*body));
        self.resolve(&reference, "variable", body).map(|id| VarRef::Local(VarId(id)))
    }

    fn locations(&mut self) -> Read<Vec<LocId>> {
        if self.takes("{") { self.list("}", Reader::location) } else { Ok(vec![self.location()?]) }
    }
}
