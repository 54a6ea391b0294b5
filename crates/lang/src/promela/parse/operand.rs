//! Operands: constants, variables, and queries of channels and processes.

use super::expr::Operand;
use super::{Parsed, Parser, Sym};
use crate::diagnostic::{Diagnostic, warn};
use crate::promela::ast::{ChannelQuery, Expr, ExprKind, Name, VarPart, VarRef};
use crate::promela::token::{Keyword, Punct, Token};
use crate::source::join;

impl Parser<'_> {
    /// `P[i]@label`, `P@label`, `P[i]:var`, `P:var`, from behind the name or the index.
    pub(super) fn remote(&mut self, process: VarRef) -> Parsed<Operand> {
        let mut parts = process.parts;
        let first = parts.swap_remove(0);
        let start = process.span;
        let mut pid = first.index;
        if pid.is_none()
            && let Some(open) = self.eat(Punct::LeftBracket)
        {
            pid = Some(self.expr()?);
            self.close(Punct::RightBracket, "the process number", open.span)?;
        }
        let pid = pid.map(Box::new);
        let process = first.name;
        let kind = if self.eat(Punct::At).is_some() {
            ExprKind::RemoteLabel { process, pid, label: self.name("a label")? }
        } else if self.eat(Punct::Colon).is_some() {
            let part = self.var_part()?;
            let span = part.name.span;
            ExprKind::RemoteVar { process, pid, var: VarRef { parts: vec![part], span, argument: false } }
        } else {
            let what = format!("`{}` is a proctype, not a variable", process.text);
            let help = "to start a process, write `run`; to look into one, write `P[pid]@label` or `P[pid]:variable`";
            return Err(self.report(Diagnostic::error(process.span, what, "").help(help)));
        };
        let end = self.log.last().map_or(start, |t| t.span);
        Ok(Operand::leaf(kind, join(start, end)))
    }

    pub(super) fn run(&mut self) -> Parsed<Operand> {
        let token = self.bump();
        if !matches!(self.sym(), Sym::Name | Sym::ProcName) {
            return Err(self.not_a_name("the name of a proctype"));
        }
        let name = self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let mut args = Vec::new();
        if !self.at(Punct::RightParen) {
            args.push(self.expr()?);
            while self.eat(Punct::Comma).is_some() {
                args.push(self.expr()?);
            }
        }
        let close = self.close(Punct::RightParen, "the arguments", open.span)?;
        let priority = self.priority()?.map(Box::new);
        let process = Name::of(&name);
        Ok(Operand::leaf(ExprKind::Run { process, args, priority }, join(token.span, close.span)))
    }

    pub(super) fn channel_query(&mut self) -> Parsed<Operand> {
        let token = self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let channel = self.var_ref()?;
        let close = self.close(Punct::RightParen, "the argument", open.span)?;
        let query = match &*token.text {
            "len" => ChannelQuery::Len,
            "empty" => ChannelQuery::Empty,
            "nempty" => ChannelQuery::NotEmpty,
            "full" => ChannelQuery::Full,
            _ => ChannelQuery::NotFull,
        };
        let mut operand = Operand::leaf(ExprKind::Channel(query, channel), join(token.span, close.span));
        operand.probe = (query != ChannelQuery::Len).then_some(token.span);
        Ok(operand)
    }

    pub(super) fn process_query(&mut self) -> Parsed<Operand> {
        let token = self.bump();
        let open = self.expect(Punct::LeftParen)?;
        let pid = Box::new(self.expr()?);
        let close = self.close(Punct::RightParen, "the argument", open.span)?;
        let kind = match &*token.text {
            "enabled" => ExprKind::Enabled(pid),
            "pc_value" => ExprKind::PcValue(pid),
            _ => ExprKind::GetPriority(pid),
        };
        Ok(Operand::leaf(kind, join(token.span, close.span)))
    }

    pub(super) fn at_constant(&mut self) -> bool {
        matches!(
            self.sym(),
            Sym::Number | Sym::Char | Sym::Symbol | Sym::Keyword(Keyword::True | Keyword::False | Keyword::Skip)
        )
    }

    /// A number, a character, a truth value or a symbolic constant.
    pub(super) fn primary_constant(&mut self) -> Parsed<Expr> {
        let sym = self.sym();
        let token = self.bump();
        match sym {
            Sym::Number => self.number(&token),
            Sym::Char => self.character(&token),
            Sym::Symbol => Ok(Expr { kind: ExprKind::Var(VarRef::single(&token)), span: token.span }),
            _ => Ok(Expr::number(i32::from(&*token.text != "false"), token.span)),
        }
    }

    /// Numbers are read as 64 bits and cut to 32, as SPIN does.
    fn number(&mut self, token: &Token) -> Parsed<Expr> {
        let value = token.text.parse::<i64>().unwrap_or(i64::MAX);
        let kept = value as i32;
        if i64::from(kept) != value {
            let what = format!("{} does not fit into 32 bits and is read as {kept}", token.text);
            warn(self.diagnostics, Diagnostic::warning(token.span, what, ""));
        }
        Ok(Expr::number(kept, token.span))
    }

    fn character(&mut self, token: &Token) -> Parsed<Expr> {
        let mut inside = token.text[1..token.text.len() - 1].chars();
        let value = match (inside.next(), inside.next(), inside.next()) {
            (Some('\\'), Some(escape), None) => match escape {
                'n' => Some('\n'),
                'r' => Some('\r'),
                't' => Some('\t'),
                'f' => Some('\x0c'),
                other => Some(other),
            },
            (Some(c), None, None) if c != '\\' => Some(c),
            _ => None,
        };
        match value.filter(char::is_ascii) {
            Some(c) => Ok(Expr::number(c as i32, token.span)),
            None => {
                let what = "a character constant is one character between quotes";
                Err(self.report(Diagnostic::error(token.span, what, "")))
            }
        }
    }

    /// `a[i].b[j]`
    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        if self.sym() != Sym::Name {
            return Err(self.not_a_name("a variable"));
        }
        let first = self.bump();
        self.var_ref_after(first)
    }

    pub(super) fn var_ref_after(&mut self, first: Token) -> Parsed<VarRef> {
        let mut span = first.span;
        let name = Name::of(&first);
        let mut parts = vec![self.var_part_after(name)?];
        while self.eat(Punct::Dot).is_some() {
            parts.push(self.var_part()?);
        }
        if let Some(last) = self.log.last() {
            span = join(span, last.span);
        }
        Ok(VarRef { parts, span, argument: first.argument })
    }

    pub(super) fn var_part(&mut self) -> Parsed<VarPart> {
        let name = self.name("a field")?;
        self.var_part_after(name)
    }

    fn var_part_after(&mut self, name: Name) -> Parsed<VarPart> {
        let mut index = None;
        if let Some(open) = self.eat(Punct::LeftBracket) {
            index = Some(self.expr()?);
            self.close(Punct::RightBracket, "the index", open.span)?;
        }
        Ok(VarPart { name, index })
    }
}
