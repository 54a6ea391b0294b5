//! Tokens.

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Name,
    Number,
    /// With its quotes.
    Str,
    Keyword(Keyword),
    Punct(Punct),
    /// A character that means nothing, or a quote that is never closed.
    Unknown,
    Eof,
}

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Keyword { $($name),* }

        impl Keyword {
            pub const ALL: &'static [&'static str] = &[$($text),*];

            pub fn of(word: &str) -> Option<Keyword> {
                match word { $($text => Some(Keyword::$name),)* _ => None }
            }

            pub fn text(self) -> &'static str {
                match self { $(Keyword::$name => $text),* }
            }
        }
    };
}

keywords! {
    A "A", Af "AF", Ag "AG", Append "APPEND", Array "ARRAY", Assert "ASSERT", Ax "AX", Begin "BEGIN",
    Boolean "BOOLEAN", Const "CONST", Div "DIV", Do "DO", E "E", Ef "EF", Eg "EG", Empty "EMPTY", End "END", Ex "EX",
    False "FALSE", Head "HEAD", If "IF", In "IN", Len "LEN", List "LIST", Mod "MOD", Model "MODEL", Of "OF", Or "OR",
    Out "OUT", Poll "POLL", Prepend "PREPEND", Process "PROCESS", Remove "REMOVE", Skip "SKIP", Trace "TRACE",
    True "TRUE", Type "TYPE", U "U", Var "VAR",
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

puncts! {
    Assign ":=", DotDot "..", Arrow "->", Separator "[]", LessEqual "<=", GreaterEqual ">=", Implies "=>",
    LeftBracket "[", RightBracket "]", LeftParen "(", RightParen ")", LeftBrace "{", RightBrace "}", Comma ",",
    Semicolon ";", Colon ":", Dot ".", Equal "=", Hash "#", Less "<", Greater ">", Plus "+", Minus "-", Star "*",
    And "&", Not "~", Bang "!", Hook "?",
}
