//! Tokens, as the preprocessor and the parser share them.

use std::rc::Rc;

use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub text: Rc<str>,
    /// The place in the user's text; for text from a macro or an inline, the outermost use.
    pub span: Span,
    /// The place of its text, which may be the body of a macro or an inline.
    pub origin: Span,
    /// The place in the body of an inline, if it comes from one: of macros there, their use.
    pub within: Option<Span>,
    /// It is part of an argument of an inline.
    pub argument: bool,
    /// The place of a token of an inline in its body; macros are not followed.
    pub typed: Span,
    /// First on its line.
    pub newline: bool,
    /// White space (or a comment, or a new line) in front of it.
    pub space: bool,
    /// A macro's name inside its own expansion: never expanded again.
    pub painted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Ident,
    /// Decimal digits only: the language has no other numbers. (C's preprocessor takes all of `1..N` for one number,
    /// and so SPIN does not expand `N` there; here it is expanded.)
    Number,
    /// With its quotes.
    Str,
    /// With its quotes.
    Char,
    Punct(Punct),
    /// A character that means nothing, or a quote that is never closed.
    Unknown,
    Eof,
}

macro_rules! puncts {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Punct { $($name),* }

        impl Punct {
            /// The longest punctuator at the start of `text`. Longer ones are listed first.
            pub fn at(text: &[u8]) -> Option<Punct> {
                $(if text.starts_with($text.as_bytes()) { return Some(Punct::$name); })*
                None
            }

            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text),* }
            }
        }
    };
}

// `-->` is an arrow to SPIN, too; the lexer sees to that.
puncts! {
    HashHash "##", Separator "::", DotDot "..", Arrow "->", Increment "++", Decrement "--", AndAnd "&&", OrOr "||",
    NotEqual "!=", BangBang "!!", QueryQuery "??", LessEqual "<=", ShiftLeft "<<", GreaterEqual ">=",
    ShiftRight ">>", EqualEqual "==",
    LeftParen "(", RightParen ")", LeftBrace "{", RightBrace "}", LeftBracket "[", RightBracket "]",
    Comma ",", Semicolon ";", Colon ":", Dot ".", Plus "+", Minus "-", Star "*", Slash "/", Percent "%",
    And "&", Or "|", Caret "^", Tilde "~", Bang "!", Query "?", Less "<", Greater ">", Equal "=", At "@",
    Hash "#", Backslash "\\",
}

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Keyword { $($name),* }

        impl Keyword {
            pub const ALL: &[&str] = &[$($text),*];

            pub fn from_text(text: &str) -> Option<Keyword> {
                match text { $($text => Some(Keyword::$name),)* _ => None }
            }

            pub fn text(self) -> &'static str {
                match self { $(Keyword::$name => $text),* }
            }
        }
    };
}

keywords! {
    Active "active", Assert "assert", Atomic "atomic", Bit "bit", Bool "bool", Break "break", Byte "byte",
    CCode "c_code", CDecl "c_decl", CExpr "c_expr", CState "c_state", CTrack "c_track", Chan "chan",
    DProctype "D_proctype", DStep "d_step", Do "do", Else "else", Empty "empty", Enabled "enabled", Eval "eval",
    False "false", Fi "fi", For "for", Full "full", GetPriority "get_priority", Goto "goto", Hidden "hidden", If "if",
    In "in", Init "init", Inline "inline", Int "int", Len "len", Local "local", Ltl "ltl", Mtype "mtype",
    Nempty "nempty", Never "never", Nfull "nfull", Notrace "notrace", Np "np_", Od "od", Of "of", PcValue "pc_value",
    Pid "pid", Printf "printf", Printm "printm", Priority "priority", Proctype "proctype", Provided "provided",
    Return "return", Run "run", Select "select", SetPriority "set_priority", Short "short", Show "show", Skip "skip",
    Timeout "timeout", Trace "trace", True "true", Typedef "typedef", Unless "unless", Unsigned "unsigned", Xr "xr",
    Xs "xs",
}

impl Token {
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == TokenKind::Punct(punct)
    }

    pub fn is_ident(&self, text: &str) -> bool {
        self.kind == TokenKind::Ident && &*self.text == text
    }
}
