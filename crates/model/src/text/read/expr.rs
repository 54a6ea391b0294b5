//! From the text form to a model: effects and expressions.

use super::super::lex::Token;
use super::super::scope::Table;
use super::{Read, Reader, Reference, declared};
use crate::ir::{
    BinaryOp, ChannelQuery, Effect, Expr, LocId, Pattern, Piece, Place, Print, ProcessId, UnaryOp, VarId, VarRef,
};

/// Expressions within each other. The bound keeps every recursive walk over an expression shallow.
const MAX_NESTING: usize = 2_000;

/// Expressions that are one word.
const PLAIN: [(&str, Expr); 6] = [
    ("pid", Expr::Pid),
    ("processes", Expr::ProcessCount),
    ("last", Expr::Last),
    ("timeout", Expr::Timeout),
    ("nonprogress", Expr::NonProgress),
    ("input", Expr::Input),
];

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
            return self.error(format!("more than {MAX_NESTING} expressions within each other"));
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

    fn operand(&mut self) -> Read<Expr> {
        match self.peek() {
            Token::Number(_) => self.number().map(Expr::Const),
            Token::Mark("(") => {
                self.advance();
                self.rest_of_parentheses()
            }
            Token::Mark("-") if matches!(self.second(), Token::Number(_)) => self.number().map(Expr::Const),
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
        let expr = if self.takes("?") {
            let yes = self.expr()?;
            self.expect(":")?;
            Expr::Cond(Box::new([first, yes, self.expr()?]))
        } else if let Some(op) = BinaryOp::ALL.into_iter().find(|op| self.takes(op.symbol())) {
            Expr::binary(op, first, self.expr()?)
        } else {
            return self.expected("an operator or `)`");
        };
        self.expect(")")?;
        Ok(expr)
    }

    fn poll(&mut self, channel: Expr) -> Read<Expr> {
        let anywhere = self.is_mark("??");
        self.advance();
        self.expect("[")?;
        Ok(Expr::Poll { channel: Box::new(channel), args: self.list("]", Reader::pattern)?, anywhere })
    }

    /// An expression that begins with a word or a reference.
    fn named(&mut self) -> Read<Expr> {
        let Token::Word(word) = self.peek().clone() else { return self.reference_or_instance() };
        if let Some((_, expr)) = PLAIN.into_iter().find(|(plain, _)| *plain == word) {
            self.advance();
            return Ok(expr);
        }
        if let Some(query) = ChannelQuery::ALL.into_iter().find(|query| query.name() == word) {
            return self.function().map(|channel| Expr::Channel(query, channel));
        }
        match word.as_str() {
            "enabled" => self.function().map(Expr::Enabled),
            "location" => self.function().map(Expr::Location),
            "priority" => self.function().map(Expr::Priority),
            "observer" => {
                self.advance();
                self.expect("@")?;
                self.locations().map(Expr::ObserverAt)
            }
            "fault" => {
                self.advance();
                self.expect("(")?;
                let message = self.string()?;
                self.expect(")")?;
                Ok(Expr::Fault(message))
            }
            _ => self.reference_or_instance(),
        }
    }

    /// A word that is already known, and its operand.
    fn function(&mut self) -> Read<Box<Expr>> {
        self.advance();
        self.expect("(")?;
        let operand = self.expr()?;
        self.expect(")")?;
        Ok(Box::new(operand))
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
