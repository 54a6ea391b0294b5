//! How ESML is written: two blanks for each level, `[]` below `IF`, `DO` and `POLL`.

use super::{Level, Nesting, Place, Space, Style, Word};
use crate::lexemes::LexemeKind;

/// The style of ESML.
#[derive(Debug)]
pub(crate) struct Esml;

const SPACED: [&str; 10] = [":=", "=", "#", "<", ">", "<=", ">=", "->", "=>", "&"];
const ARITHMETIC: [&str; 3] = ["+", "-", "*"];
const CALLED: [&str; 11] = ["TRACE", "EMPTY", "REMOVE", "APPEND", "PREPEND", "LEN", "HEAD", "A", "E", "ASSERT", "SKIP"];

impl Style for Esml {
    fn unit(&self) -> &'static str {
        "  "
    }

    fn nesting(&self, place: Place<'_, '_>) -> Nesting {
        match place.word().text {
            "CONST" | "TYPE" | "VAR" => Nesting::Section,
            "PROCESS" | "MODEL" | "ASSERT" => Nesting::EndSection,
            "BEGIN" => Nesting::EndSectionOpen(Level::Block),
            "IF" | "DO" | "POLL" => Nesting::Open(Level::Choice),
            "END" => Nesting::Close(&[Level::Block, Level::Choice]),
            "[]" => Nesting::Item,
            "(" | "[" | "{" => Nesting::Open(Level::Parens),
            ")" | "]" | "}" if place.level == Some(Level::Parens) => Nesting::Close(&[Level::Parens]),
            _ => Nesting::Keep,
        }
    }

    fn space(&self, place: Place<'_, '_>) -> Space {
        let (word, Some(before)) = (place.word(), place.before()) else { return Space::AsTyped };
        match (before.text, word.text) {
            ("(" | "[" | "{" | "." | "!" | "?" | "~", _) => Space::None,
            (_, ")" | "]" | "}" | "," | ";" | ":" | "." | "!" | "?") => Space::None,
            (_, "(") if before.kind == LexemeKind::Name || before.is_one_of(&CALLED) => Space::None,
            (_, "[") if before.kind == LexemeKind::Name => Space::None,
            ("," | ";" | ":" | "[]", _) | (_, "[]") => Space::One,
            ("..", _) => Space::AsTyped,
            (_, "..") => Space::Even,
            _ if is_sign(place) => Space::None,
            _ if word.is_one_of(&SPACED) || before.is_one_of(&SPACED) => Space::One,
            _ if before.is_one_of(&ARITHMETIC) => {
                if place.words[place.at - 1].spaced() || word.spaced() {
                    Space::One
                } else {
                    Space::None
                }
            }
            _ if word.is_one_of(&ARITHMETIC) && before.ends_operand() => Space::Even,
            _ if word.kind == LexemeKind::Symbol || before.kind == LexemeKind::Symbol => Space::AsTyped,
            _ => Space::One,
        }
    }

    fn continues(&self, place: Place<'_, '_>) -> bool {
        let Some(before) = place.before() else { return false };
        let operator = |word: &Word<'_>| {
            !word.is("->") && (word.is_one_of(&SPACED) || word.is_one_of(&ARITHMETIC))
                || word.is_one_of(&["OR", "MOD", "DIV"])
        };
        operator(before) || operator(place.word()) || before.is(",")
    }
}

/// Whether the word before is a sign: `-` without a left operand.
fn is_sign(place: Place<'_, '_>) -> bool {
    let Some(at) = place.at.checked_sub(1) else { return false };
    place.words[at].is("-") && !Place { at, ..place }.before().is_some_and(Word::ends_operand)
}
