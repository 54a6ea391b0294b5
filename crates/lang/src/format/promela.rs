//! How Promela is written: tabs, `::` below `if` and `do`, and the statements of an option behind its `::`.

use super::{Level, Nesting, Place, Space, Style, Word};
use crate::lexemes::LexemeKind;

/// The style of Promela.
#[derive(Debug)]
pub(crate) struct Promela;

const COMPARISONS: [&str; 9] = ["=", "==", "!=", "<=", ">=", "&&", "||", "->", "-->"];
const ARITHMETIC: [&str; 10] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
/// Keywords that are called like functions.
const CALLED: [&str; 15] = [
    "assert",
    "printf",
    "printm",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "eval",
    "enabled",
    "pc_value",
    "get_priority",
    "set_priority",
    "c_expr",
    "run",
];
const EMBEDDED: [&str; 5] = ["c_code", "c_decl", "c_expr", "c_state", "c_track"];

impl Style for Promela {
    fn unit(&self) -> &'static str {
        "\t"
    }

    fn item_unit(&self) -> &'static str {
        "   "
    }

    fn has_directives(&self) -> bool {
        true
    }

    fn quotes_arguments(&self, words: &[Word<'_>]) -> bool {
        words.iter().skip(1).any(|word| word.is("#") && !word.leads())
    }

    fn nesting(&self, place: Place<'_, '_>) -> Nesting {
        match place.word().text {
            "{" => Nesting::Open(brace(place)),
            "}" => Nesting::Close(&[Level::Block, Level::List, Level::Formula]),
            "(" | "[" if place.level != Some(Level::Formula) => Nesting::Open(Level::Parens),
            ")" | "]" if place.level == Some(Level::Parens) => Nesting::Close(&[Level::Parens]),
            "if" | "do" => Nesting::Open(Level::Choice),
            "fi" | "od" => Nesting::Close(&[Level::Choice]),
            "::" => Nesting::Item,
            _ => Nesting::Keep,
        }
    }

    fn space(&self, place: Place<'_, '_>) -> Space {
        let (word, Some(before)) = (place.word(), place.before()) else { return Space::AsTyped };
        if place.level == Some(Level::Formula) && !word.is("}") && !before.is("{") {
            return Space::AsTyped;
        }
        if let Some(space) = brackets(place, before, word) {
            return space;
        }
        if is_prefix(place, 1) || before.is_one_of(&["@", "."]) || word.is_one_of(&["@", "."]) {
            return Space::None;
        }
        if let Some(space) = messages(place, before, word) {
            return space;
        }
        if word.is_one_of(&COMPARISONS) || before.is_one_of(&COMPARISONS) {
            return Space::One;
        }
        operators(place, before, word)
    }

    fn continues(&self, place: Place<'_, '_>) -> bool {
        let Some(before) = place.before() else { return false };
        let operator = |word: &Word<'_>| {
            word.is_one_of(&COMPARISONS) && !word.is_one_of(&["->", "-->"]) || word.is_one_of(&ARITHMETIC)
        };
        operator(before) || before.is(",") || operator(place.word())
    }

    fn is_label(&self, place: Place<'_, '_>) -> bool {
        place.word().kind == LexemeKind::Name && place.after().is_some_and(|next| next.is(":") && !next.leads())
    }

    /// Embedded C, up to its closing brace.
    fn foreign(&self, place: Place<'_, '_>) -> usize {
        if !place.word().is_one_of(&EMBEDDED) {
            return 0;
        }
        let mut depth = 0;
        for (length, word) in place.words[place.at..].iter().enumerate() {
            match word.text {
                "{" => depth += 1,
                "}" if depth == 1 => return length + 1,
                "}" => depth -= 1,
                ";" if depth == 0 => return 0,
                _ => {}
            }
        }
        0
    }
}

/// The level of a brace: a formula, the names of an `mtype`, the fields of a channel, or a block.
fn brace(place: Place<'_, '_>) -> Level {
    let before = |back: usize| place.at.checked_sub(back).map_or("", |at| place.words[at].text);
    match (before(2), before(1)) {
        (_, "ltl") | ("ltl", _) => Level::Formula,
        (_, "=" | "of" | "mtype") => Level::List,
        _ => Level::Block,
    }
}

fn brackets(place: Place<'_, '_>, before: &Word<'_>, word: &Word<'_>) -> Option<Space> {
    Some(match (before.text, word.text) {
        ("{", "}") => Space::None,
        ("(" | "[", _) | (_, ")" | "]" | "," | ";") => Space::None,
        ("{", _) | (_, "{" | "}" | "::") | ("," | ";" | "::", _) => Space::One,
        (_, "(") if before.is_one_of(&CALLED) || before.kind == LexemeKind::Name => Space::None,
        (_, "[") if matches!(before.kind, LexemeKind::Name) || before.is("]") => Space::None,
        (_, "++" | "--") if before.ends_operand() => Space::None,
        ("++" | "--", _) if word.kind == LexemeKind::Name => Space::AsTyped,
        (_, ":") if place.words[place.at - 1].leads() => Space::None,
        (":", _) | (_, ":") => Space::AsTyped,
        ("..", _) => Space::AsTyped,
        (_, "..") => Space::Even,
        _ => return None,
    })
}

/// Whether the word `back` words before is an operator with one operand: `-x`, `!x`, `~x`.
fn is_prefix(place: Place<'_, '_>, back: usize) -> bool {
    let Some(at) = place.at.checked_sub(back) else { return false };
    let word = place.words[at];
    let operand = Place { at, ..place }.before().is_some_and(Word::ends_operand);
    word.is("~") || word.is_one_of(&["-", "!"]) && !operand
}

/// `q!x`, `q?x`, `q?[x]`, `q?<x>`, `q!!x`, `q??x`.
fn messages(place: Place<'_, '_>, before: &Word<'_>, word: &Word<'_>) -> Option<Space> {
    let is_message = |word: &Word<'_>| word.is_one_of(&["!", "!!", "?", "??"]);
    if is_message(before) || is_message(word) && before.ends_operand() {
        return Some(Space::None);
    }
    let opens = |at: usize| at > 0 && place.words[at].is("<") && is_message(&place.words[at - 1]);
    if place.at > 0 && opens(place.at - 1) {
        return Some(Space::None);
    }
    let statement = place.words[..place.at].iter().rev();
    let since = statement.take_while(|word| !word.is_one_of(&[";", "->", "{", "}", "::", ">"])).count();
    let is_open = (place.at - since..place.at).any(opens);
    (word.is(">") && is_open).then_some(Space::None)
}

fn operators(place: Place<'_, '_>, before: &Word<'_>, word: &Word<'_>) -> Space {
    let binary = |word: &Word<'_>| word.is_one_of(&ARITHMETIC) || word.is_one_of(&["<", ">"]);
    if binary(before) {
        // Behind an operator stands what stands in front of it.
        let at = place.at - 1;
        let even = place.words[at].spaced() || place.word().spaced();
        return if even { Space::One } else { Space::None };
    }
    if binary(word) && !is_prefix(place, 0) {
        return Space::Even;
    }
    if word.kind == LexemeKind::Symbol || before.kind == LexemeKind::Symbol { Space::AsTyped } else { Space::One }
}
