//! Commands.

use super::{Failed, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::esml::ast::{
    Access, Branch, Command, CommandKind, Communication, Name, PollBranch, TraceArgument, Transfer,
};
use crate::esml::token::{Keyword, Punct, TokenKind};
use crate::source::{Span, join};

impl Parser<'_> {
    /// Commands with `;` between them. There is at least one.
    pub(super) fn commands(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        loop {
            match self.nested(Parser::command) {
                Ok(command) => commands.push(command),
                Err(Failed) => self.recover_in_body(),
            }
            if self.eat(Punct::Semicolon).is_some() {
                continue;
            }
            self.capitals(&[Keyword::End]);
            if !self.begins_command() {
                return commands;
            }
            self.missing_semicolon("this command");
        }
    }

    /// Whether the next token starts a command, so that the `;` before it is missing.
    fn begins_command(&self) -> bool {
        use Keyword as K;
        match self.kind() {
            TokenKind::Keyword(k) => {
                matches!(
                    k,
                    K::Skip | K::If | K::Do | K::Poll | K::Trace | K::Empty | K::Remove | K::Append | K::Prepend
                )
            }
            TokenKind::Name => matches!(
                self.ahead(1).kind,
                TokenKind::Punct(Punct::Assign | Punct::Bang | Punct::Hook | Punct::LeftBracket | Punct::Dot)
            ),
            _ => false,
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        self.capitals(&[Keyword::If, Keyword::Do, Keyword::Poll, Keyword::Skip, Keyword::End]);
        let start = self.peek().span;
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Skip) => {
                self.bump();
                CommandKind::Skip
            }
            TokenKind::Keyword(Keyword::If) => CommandKind::If(self.block(Keyword::If, Parser::branch)?),
            TokenKind::Keyword(Keyword::Do) => CommandKind::Do(self.block(Keyword::Do, Parser::branch)?),
            TokenKind::Keyword(Keyword::Poll) => CommandKind::Poll(self.block(Keyword::Poll, Parser::poll_branch)?),
            TokenKind::Keyword(Keyword::Trace) => self.trace()?,
            TokenKind::Keyword(Keyword::Empty | Keyword::Remove | Keyword::Append | Keyword::Prepend) => {
                self.list_command()?
            }
            TokenKind::Name => self.access_command()?,
            _ => return Err(self.unexpected("a command")),
        };
        Ok(Command { kind, span: join(start, self.last()) })
    }

    /// `IF`, `DO` or `POLL`, its branches and its `END`.
    fn block<B>(&mut self, opener: Keyword, branch: fn(&mut Self) -> Parsed<B>) -> Parsed<Vec<B>> {
        let open = self.bump().span;
        let mut branches = Vec::new();
        loop {
            match branch(self) {
                Ok(branch) => branches.push(branch),
                Err(Failed) => self.recover_to_branch(),
            }
            if self.eat(Punct::Separator).is_none() {
                break;
            }
        }
        let what = format!("this `{}`", opener.text());
        if !self.at_keyword(Keyword::End) {
            return Err(self.unclosed("`END`", &what, open));
        }
        if self.ends_definition() {
            let name = self.inside.as_ref().map_or("", |n| n.text.as_str());
            let help =
                format!("the `END` before `{name}` closes all of `{name}`; the `{}` needs its own", opener.text());
            let diagnostic = Diagnostic::error(self.peek().span, format!("expected `END` to close {what}"), "here")
                .label(open, "opened here")
                .help(help);
            self.report(diagnostic);
            return Ok(branches);
        }
        self.bump();
        Ok(branches)
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let guard = self.expression()?;
        self.expect(Punct::Arrow, "`->` and commands")?;
        Ok(Branch { guard, commands: self.commands() })
    }

    fn poll_branch(&mut self) -> Parsed<PollBranch> {
        let channel = match self.kind() {
            TokenKind::Name => self.name("a channel")?,
            _ => return Err(self.unexpected("a send or a receive")),
        };
        let communication = self.communication(channel)?;
        let condition = match self.eat(Punct::And) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        let span = join(communication.span, self.last());
        self.expect(Punct::Arrow, "`&` and a condition, or `->` and commands")?;
        Ok(PollBranch { communication, condition, commands: self.commands(), span })
    }

    fn trace(&mut self) -> Parsed<CommandKind> {
        self.bump();
        let open = self.expect(Punct::LeftParen, "`(`")?;
        let mut arguments = Vec::new();
        loop {
            if self.kind() == TokenKind::Str {
                let span = self.bump().span;
                arguments.push(TraceArgument::Text(self.word(span).trim_matches('"').to_string()));
            } else {
                arguments.push(TraceArgument::Value(self.expression()?));
            }
            if self.eat(Punct::Comma).is_none() {
                break;
            }
        }
        self.close(Punct::RightParen, "the arguments", open)?;
        Ok(CommandKind::Trace(arguments))
    }

    fn list_command(&mut self) -> Parsed<CommandKind> {
        let TokenKind::Keyword(which) = self.bump().kind else { return Err(self.unexpected("a list command")) };
        let open = self.expect(Punct::LeftParen, "`(` and a list")?;
        let name = self.name("the name of a list")?;
        let list = self.access(name)?;
        let kind = match which {
            Keyword::Empty => CommandKind::Empty(list),
            Keyword::Remove => CommandKind::Remove(list),
            _ => {
                self.expect(Punct::Comma, "`,` and the new element")?;
                let value = self.expression()?;
                if which == Keyword::Append {
                    CommandKind::Append(list, value)
                } else {
                    CommandKind::Prepend(list, value)
                }
            }
        };
        self.close(Punct::RightParen, "the arguments", open)?;
        Ok(kind)
    }

    /// An assignment or a communication: they begin with a variable.
    fn access_command(&mut self) -> Parsed<CommandKind> {
        let name = self.name("a variable")?;
        if matches!(self.kind(), TokenKind::Punct(Punct::Bang | Punct::Hook)) {
            return self.communication(name).map(CommandKind::Communicate);
        }
        if self.at_punct(Punct::LeftParen) {
            return Err(self.activation_in_process(name.span));
        }
        let target = self.access(name)?;
        if self.eat(Punct::Assign).is_none() {
            return Err(self.unexpected("`:=`, `!` or `?`"));
        }
        let value = self.expression()?;
        Ok(CommandKind::Assign(target, value))
    }

    fn activation_in_process(&mut self, span: Span) -> Failed {
        let what = "processes are started in the body of the model only";
        let help = "a process cannot start another one";
        self.report(Diagnostic::error(span, what, "not a command of a process").help(help))
    }

    /// `ch!s`, `ch!s(e)`, `ch?s`, `ch?s(v)`; the channel has been read.
    fn communication(&mut self, channel: Name) -> Parsed<Communication> {
        let sends = match self.kind() {
            TokenKind::Punct(Punct::Bang) => true,
            TokenKind::Punct(Punct::Hook) => false,
            _ => return Err(self.unexpected("`!` or `?`")),
        };
        self.bump();
        let signal = self.name("the name of a message")?;
        let open = self.eat(Punct::LeftParen);
        let transfer = match (sends, open) {
            (true, None) => Transfer::Send(None),
            (true, Some(_)) => Transfer::Send(Some(self.expression()?)),
            (false, None) => Transfer::Receive(None),
            (false, Some(_)) => Transfer::Receive(Some(self.received()?)),
        };
        if let Some(open) = open {
            self.close(Punct::RightParen, "the data of the message", open)?;
        }
        let span = join(channel.span, self.last());
        Ok(Communication { channel, signal, transfer, span })
    }

    fn received(&mut self) -> Parsed<Access> {
        let name = self.name("the variable that is to hold the data")?;
        self.access(name)
    }
}
