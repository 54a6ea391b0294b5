//! The commands of the plain program.

pub const HELP: &str = "  N          take move number N
  Enter      go on along the run, or take the only move
  b [N]      back by one step, or by N
  j N        jump to step N of the run
  r [N]      take one random step, or N
  u EXPR     run until a condition holds, in the language of the model
  w EXPR     watch an expression: v shows its value; again to stop
  / TEXT     search the source and the run
  s [FILE]   save the run up to this step as a trail
  o          return to the trail after leaving it
  v          variables      c   channels      l   where the processes are
  t          the run so far as a table        m   as a message sequence chart
  ?          this help      q   quit
  A move with * is the next one of the run; Enter takes it, another move leaves the run.
";

/// A command of the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    Take(usize),
    Onward,
    Back(usize),
    Jump(usize),
    Random(usize),
    Until(String),
    Watch(String),
    Search(String),
    Save(Option<String>),
    Rejoin,
    Variables,
    Channels,
    Places,
    Table,
    Chart,
    Help,
    Quit,
}

/// The command of a line.
pub fn parse(line: &str) -> Option<Word> {
    let line = line.trim();
    if let Some(text) = line.strip_prefix('/') {
        return (!text.trim().is_empty()).then(|| Word::Search(text.trim().to_string()));
    }
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let text = || (!rest.is_empty()).then(|| rest.to_string());
    let number = || rest.parse::<usize>().ok();
    match (first, rest.is_empty()) {
        ("b" | "back", true) => Some(Word::Back(1)),
        ("b" | "back", false) => number().map(Word::Back),
        ("j" | "jump", false) => number().map(Word::Jump),
        ("r" | "random", true) => Some(Word::Random(1)),
        ("r" | "random", false) => number().map(Word::Random),
        ("u" | "until", _) => text().map(Word::Until),
        ("w" | "watch", _) => text().map(Word::Watch),
        ("s" | "save", _) => Some(Word::Save(text())),
        (_, false) => None,
        ("" | "n" | "next", _) => Some(Word::Onward),
        ("o" | "trail", _) => Some(Word::Rejoin),
        ("v" | "variables", _) => Some(Word::Variables),
        ("c" | "channels", _) => Some(Word::Channels),
        ("l" | "lines", _) => Some(Word::Places),
        ("t" | "table", _) => Some(Word::Table),
        ("m" | "chart", _) => Some(Word::Chart),
        ("?" | "h" | "help", _) => Some(Word::Help),
        ("q" | "quit", _) => Some(Word::Quit),
        (other, _) => other.parse().ok().map(Word::Take),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_understood() {
        let text = |text: &str| text.to_string();
        for (line, want) in [
            ("", Some(Word::Onward)),
            ("3\n", Some(Word::Take(3))),
            ("b", Some(Word::Back(1))),
            ("back 4", Some(Word::Back(4))),
            ("j 0", Some(Word::Jump(0))),
            ("j", None),
            ("j x", None),
            ("b 1 2", None),
            ("3 4", None),
            ("r", Some(Word::Random(1))),
            ("r 100", Some(Word::Random(100))),
            ("r -1", None),
            ("u x == 3", Some(Word::Until(text("x == 3")))),
            ("u", None),
            ("w x + 1", Some(Word::Watch(text("x + 1")))),
            ("s", Some(Word::Save(None))),
            ("s my run.json", Some(Word::Save(Some(text("my run.json"))))),
            ("/ x", Some(Word::Search(text("x")))),
            ("/x = 1", Some(Word::Search(text("x = 1")))),
            ("/", None),
            ("v", Some(Word::Variables)),
            ("?", Some(Word::Help)),
            ("nonsense", None),
        ] {
            assert_eq!(parse(line), want, "{line:?}");
        }
    }
}
