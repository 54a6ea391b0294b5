//! How DVE is written: four blanks for each level, one transition on each line below `trans`.

use super::{Level, Nesting, Place, Space, Style, Word};
use crate::lexemes::LexemeKind;

/// The style of DVE.
#[derive(Debug)]
pub(crate) struct Dve;

const SPACED: [&str; 9] = ["=", "==", "!=", "<=", ">=", "&&", "||", "<", ">"];
const ARITHMETIC: [&str; 10] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

impl Style for Dve {
    fn unit(&self) -> &'static str {
        "    "
    }

    fn nesting(&self, place: Place<'_, '_>) -> Nesting {
        match place.word().text {
            "{" if place.before().is_some_and(|before| before.is_one_of(&["=", "channel", "!", "?"])) => {
                Nesting::Open(Level::List)
            }
            "{" => Nesting::Open(Level::Block),
            "}" => Nesting::Close(&[Level::Block, Level::List]),
            "(" | "[" => Nesting::Open(Level::Parens),
            ")" | "]" if place.level == Some(Level::Parens) => Nesting::Close(&[Level::Parens]),
            "trans" => Nesting::Open(Level::Section),
            ";" => Nesting::EndSection,
            _ => Nesting::Keep,
        }
    }

    fn space(&self, place: Place<'_, '_>) -> Space {
        let (word, Some(before)) = (place.word(), place.before()) else { return Space::AsTyped };
        let is_list = place.level == Some(Level::List);
        match (before.text, word.text) {
            ("{", "}") => Space::AsTyped,
            ("{", _) | (_, "}") if is_list => Space::None,
            ("(" | "[" | "." | "!" | "?" | "~", _) | (_, ")" | "]" | "," | ";" | ":" | ".") => Space::None,
            (_, "[" | "(") if matches!(before.kind, LexemeKind::Name) => Space::None,
            ("{", _) | (_, "{" | "}") | ("," | ";" | ":", _) => Space::One,
            (_, "->") | ("->", _) => arrow(place),
            (_, "!" | "?") if before.ends_operand() => Space::None,
            _ if word.is_one_of(&SPACED) || before.is_one_of(&SPACED) && !is_sign(place) => Space::One,
            _ => operators(place, before, word),
        }
    }

    fn continues(&self, place: Place<'_, '_>) -> bool {
        let Some(before) = place.before() else { return false };
        let operator = |word: &Word<'_>| word.is_one_of(&SPACED) || word.is_one_of(&ARITHMETIC);
        let comma = before.is(",") && place.level != Some(Level::Section);
        comma || operator(before) || operator(place.word()) || before.is_one_of(&["and", "or", "imply", "not"])
    }
}

/// The arrow of a transition stands alone; `process->variable` has no white space.
fn arrow(place: Place<'_, '_>) -> Space {
    if place.level == Some(Level::Section) { Space::One } else { Space::AsTyped }
}

/// Whether the word before is a sign: `-` without a left operand.
fn is_sign(place: Place<'_, '_>) -> bool {
    let Some(at) = place.at.checked_sub(1) else { return false };
    place.words[at].is("-") && !Place { at, ..place }.before().is_some_and(Word::ends_operand)
}

fn operators(place: Place<'_, '_>, before: &Word<'_>, word: &Word<'_>) -> Space {
    if is_sign(place) {
        return Space::None;
    }
    if before.is_one_of(&ARITHMETIC) {
        return if place.words[place.at - 1].spaced() || word.spaced() { Space::One } else { Space::None };
    }
    if word.is_one_of(&ARITHMETIC) && before.ends_operand() {
        return Space::Even;
    }
    if word.kind == LexemeKind::Symbol || before.kind == LexemeKind::Symbol { Space::AsTyped } else { Space::One }
}
