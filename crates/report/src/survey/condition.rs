//! Conditions on the entries of a catalogue: `states > 10000 && back_edges = 0`, `language = dve || successors < 2`.
//!
//! ```text
//! condition   = conjunction { "||" conjunction }
//! conjunction = comparison { "&&" comparison }
//! comparison  = "!" comparison | sum [ ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//! sum         = product { ("+" | "-") product }
//! product     = atom { ("*" | "/") atom }
//! atom        = number | name | word | "text" | "(" condition ")"
//! ```

use super::{Survey, table};

/// The texts of an entry that a condition may name, besides the characteristics of its state space.
pub const TEXTS: [&str; 4] = ["model", "language", "property", "result"];

/// The entry of a catalogue that a condition is about.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'e> {
    /// The characteristics of its state space.
    pub survey: &'e Survey,
    /// The values of [`TEXTS`].
    pub texts: [&'e str; 4],
}

/// A condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition(Tree);

#[derive(Clone, PartialEq, Debug)]
enum Tree {
    Number(f64),
    Word(String),
    Characteristic(String),
    Text(usize),
    Not(Box<Tree>),
    Both(&'static str, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    Text,
    Truth,
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Number(f64),
    Text(String),
    Truth(bool),
}

impl Condition {
    /// Whether an entry satisfies the condition.
    pub fn holds(&self, entry: Entry<'_>) -> bool {
        self.0.value(entry) == Value::Truth(true)
    }
}

impl std::str::FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0 };
        if parser.tokens.len() > MOST_TOKENS {
            return Err("the condition is too long".to_string());
        }
        let tree = parser.binary(0)?;
        if let Some(token) = parser.peek() {
            return Err(format!("`{}` is not expected here", token.text));
        }
        match tree.kind()? {
            Kind::Truth => Ok(Condition(tree)),
            _ => Err("a condition compares: states >= 1000".to_string()),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Token {
    text: String,
    quoted: bool,
}

/// The operators; longer ones come first.
const OPERATORS: [&str; 16] = ["&&", "||", "<=", ">=", "!=", "==", "<", ">", "=", "!", "+", "-", "*", "/", "(", ")"];

/// The binary operators by precedence, from the weakest.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["<=", ">=", "!=", "==", "<", ">", "="], &["+", "-"], &["*", "/"]];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut out, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (token, length) = if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            (Token { text: (*operator).to_string(), quoted: false }, operator.len())
        } else if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or("a quote is not closed")?;
            (Token { text: rest[1..=end].to_string(), quoted: true }, end + 2)
        } else {
            let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("`{first}` has no meaning here"));
            }
            (Token { text: rest[..end].to_string(), quoted: false }, end)
        };
        out.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(out)
}

/// Longer conditions are refused, so that nesting has a bound.
const MOST_TOKENS: usize = 400;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// Takes one of these operators, if it is next.
    fn operator(&mut self, of: &[&'static str]) -> Option<&'static str> {
        let token = self.peek().filter(|token| !token.quoted)?;
        let found = of.iter().copied().find(|operator| *operator == token.text)?;
        self.at += 1;
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Result<Tree, String> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(LEVELS[level]) {
            let right = self.binary(level + 1)?;
            let operator = if operator == "==" { "=" } else { operator };
            left = Tree::Both(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree, String> {
        if self.operator(&["!"]).is_some() {
            return Ok(Tree::Not(Box::new(self.unary()?)));
        }
        if self.operator(&["("]).is_some() {
            let inner = self.binary(0)?;
            return self.operator(&[")"]).map(|_| inner).ok_or_else(|| "a parenthesis is not closed".to_string());
        }
        let token = self.peek().cloned().ok_or("the condition ends too early")?;
        self.at += 1;
        atom(&token)
    }
}

fn atom(token: &Token) -> Result<Tree, String> {
    let text = &token.text;
    let begins = text.chars().next().is_some_and(|c| c.is_ascii_digit());
    Ok(match () {
        () if token.quoted => Tree::Word(text.clone()),
        () if begins => Tree::Number(text.replace('_', "").parse().map_err(|_| format!("`{text}` is no number"))?),
        () if table::names().any(|name| name == text) => Tree::Characteristic(text.clone()),
        () if OPERATORS.contains(&text.as_str()) => return Err(format!("`{text}` is not expected here")),
        () => TEXTS.iter().position(|name| name == text).map_or_else(|| Tree::Word(text.clone()), Tree::Text),
    })
}

impl Tree {
    /// The kind of values; an error where operators and operands do not fit.
    fn kind(&self) -> Result<Kind, String> {
        Ok(match self {
            Tree::Number(_) | Tree::Characteristic(_) => Kind::Number,
            Tree::Word(_) | Tree::Text(_) => Kind::Text,
            Tree::Not(inner) => {
                inner.must_be(Kind::Truth)?;
                Kind::Truth
            }
            Tree::Both("||" | "&&", left, right) => {
                left.must_be(Kind::Truth)?;
                right.must_be(Kind::Truth)?;
                Kind::Truth
            }
            Tree::Both("=" | "!=", left, right) if left.kind()? == Kind::Text => {
                right.must_be(Kind::Text)?;
                Kind::Truth
            }
            Tree::Both(operator, left, right) => {
                left.must_be(Kind::Number)?;
                right.must_be(Kind::Number)?;
                if ["+", "-", "*", "/"].contains(operator) { Kind::Number } else { Kind::Truth }
            }
        })
    }

    fn must_be(&self, kind: Kind) -> Result<(), String> {
        if self.kind()? == kind {
            return Ok(());
        }
        let all: Vec<&str> = table::names().chain(TEXTS).collect();
        Err(match self {
            Tree::Word(word) => format!("unknown characteristic `{word}`; there are {}", all.join(", ")),
            Tree::Text(at) => format!("`{}` is a text, which can be compared with = and != only", TEXTS[*at]),
            _ if kind == Kind::Truth => "&&, || and ! join comparisons".to_string(),
            _ if kind == Kind::Text => "a text is compared with a text".to_string(),
            _ => "numbers are compared, not comparisons".to_string(),
        })
    }

    fn value(&self, entry: Entry<'_>) -> Value {
        match self {
            Tree::Number(number) => Value::Number(*number),
            Tree::Word(word) => Value::Text(word.clone()),
            Tree::Characteristic(name) => Value::Number(entry.survey.value(name).unwrap_or(f64::NAN)),
            Tree::Text(at) => Value::Text(entry.texts[*at].to_string()),
            Tree::Not(inner) => Value::Truth(inner.value(entry) == Value::Truth(false)),
            Tree::Both("||", left, right) => Value::Truth(left.is_true(entry) || right.is_true(entry)),
            Tree::Both("&&", left, right) => Value::Truth(left.is_true(entry) && right.is_true(entry)),
            Tree::Both(operator, left, right) => match (left.value(entry), right.value(entry)) {
                (Value::Number(left), Value::Number(right)) => numbers(operator, left, right),
                (left, right) => Value::Truth((left == right) == (*operator == "=")),
            },
        }
    }

    fn is_true(&self, entry: Entry<'_>) -> bool {
        self.value(entry) == Value::Truth(true)
    }
}

fn numbers(operator: &str, left: f64, right: f64) -> Value {
    let equal = (left - right).abs() < 1e-9;
    match operator {
        "+" => Value::Number(left + right),
        "-" => Value::Number(left - right),
        "*" => Value::Number(left * right),
        "/" => Value::Number(left / right),
        "=" => Value::Truth(equal),
        "!=" => Value::Truth(!equal),
        "<" => Value::Truth(left < right),
        "<=" => Value::Truth(left <= right),
        ">" => Value::Truth(left > right),
        _ => Value::Truth(left >= right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_evaluated() {
        let survey = Survey { unique: 38, transitions: 76, levels: 10, ..Survey::default() };
        let entry = Entry { survey: &survey, texts: ["m.pml", "dve", "", "holds"] };
        for (text, holds) in [
            ("states>=38", true),
            ("states < 38", false),
            ("levels==10", true),
            ("width>0 || states > 10 && levels = 10", true),
            ("(width>0 || states > 10) && levels != 10", false),
            ("transitions / states >= 2", true),
            ("levels + 2 * 3 = 16", true),
            ("!(language = dve)", false),
            ("language = dve && result = \"holds\" && property = ''", true),
            ("states > 1_000", false),
        ] {
            assert_eq!(text.parse::<Condition>().unwrap().holds(entry), holds, "{text}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (text, complaint) in [
            ("states", "a condition compares"),
            ("size>3", "unknown characteristic `size`; there are states, "),
            ("states>many", "unknown characteristic `many`"),
            ("states>3 &&", "ends too early"),
            ("(states>3", "a parenthesis is not closed"),
            ("states>3)", "`)` is not expected here"),
            ("language > 3", "a text, which can be compared with = and != only"),
            ("states > 1 < 2", "numbers are compared"),
            ("states && levels", "&&, || and ! join comparisons"),
            ("states > 3x", "`3x` is no number"),
            ("states # 3", "`#` has no meaning here"),
            ("model = 'm", "a quote is not closed"),
        ] {
            let error = text.parse::<Condition>().unwrap_err();
            assert!(error.contains(complaint), "{text}: {error}");
        }
        assert!(format!("{}1=1", "!".repeat(100_000)).parse::<Condition>().is_err());
    }
}
