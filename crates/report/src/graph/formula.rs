//! Formulas of Hennessy–Milner logic as text.

use kripke_search::graph::{Formula, Formulas, Term};

use super::{ACCEPTING, DEADLOCK, ERROR};

/// The length of a formula up to which it is one text. The parts of a longer one have names.
const LONG: usize = 400;

/// The text of a formula; a long one has several lines, `f1 = …`, of which the last one is the formula.
pub fn formula(formulas: &Formulas, formula: Formula, labels: &[String]) -> String {
    let mut lengths = vec![0usize; formulas.terms.len()];
    for number in 0..formulas.terms.len() {
        lengths[number] = parts(&formulas.terms[number]).iter().map(|part| lengths[*part] + 4).sum::<usize>() + 12;
        lengths[number] = lengths[number].min(1 << 30);
    }
    let mut text = Text { formulas, labels, named: vec![None; formulas.terms.len()] };
    if lengths[formula] <= LONG {
        return text.of(formula);
    }
    let mut used = vec![0; formulas.terms.len()];
    used[formula] = 1;
    for number in (0..formulas.terms.len()).rev().filter(|n| *n <= formula) {
        if used[number] > 0 {
            parts(&formulas.terms[number]).iter().for_each(|part| used[*part] += 1);
        }
    }
    let (mut lines, mut next) = (Vec::new(), 1);
    for number in (0..formula).filter(|n| used[*n] > 0) {
        if matches!(formulas.terms[number], Term::Can(..) | Term::Until(..)) {
            lines.push(format!("f{next} = {}", text.of(number)));
            text.named[number] = Some(next);
            next += 1;
        }
    }
    lines.push(text.of(formula));
    lines.join("\n")
}

fn parts(term: &Term) -> Vec<Formula> {
    match term {
        Term::Mark(_) => Vec::new(),
        Term::Not(inner) | Term::Can(_, inner) => vec![*inner],
        Term::And(parts) => parts.clone(),
        Term::Until(before, _, after) => vec![*before, *after],
    }
}

struct Text<'a> {
    formulas: &'a Formulas,
    labels: &'a [String],
    /// The number of the line that has a formula.
    named: Vec<Option<usize>>,
}

impl Text<'_> {
    fn of(&self, formula: Formula) -> String {
        if let Some(name) = self.named[formula] {
            return format!("f{name}");
        }
        match &self.formulas.terms[formula] {
            Term::Mark(mark) => marks(*mark),
            Term::And(parts) if parts.is_empty() => "true".to_string(),
            Term::And(parts) => parts.iter().map(|part| self.inner(*part)).collect::<Vec<_>>().join(" && "),
            Term::Not(inner) => format!("!{}", self.inner(*inner)),
            Term::Can(label, after) => format!("<{}> {}", self.label(*label), self.inner(*after)),
            Term::Until(before, label, after) => {
                format!("({} U <{}> {})", self.inner(*before), self.label(*label), self.inner(*after))
            }
        }
    }

    /// A formula inside another one, in parentheses where they are needed.
    fn inner(&self, formula: Formula) -> String {
        let text = self.of(formula);
        match &self.formulas.terms[formula] {
            Term::And(parts) if parts.len() > 1 && self.named[formula].is_none() => format!("({text})"),
            _ => text,
        }
    }

    fn label(&self, label: u32) -> String {
        let name = self.labels.get(label as usize).map_or("?", String::as_str);
        format!("\"{}\"", crate::run::flat(name))
    }
}

/// The name of the states with a mark.
fn marks(mark: u32) -> String {
    let names = [(ERROR, "error"), (DEADLOCK, "invalid_end"), (ACCEPTING, "accepting")];
    let set: Vec<String> =
        names.iter().map(|(bit, name)| if mark & bit > 0 { name.to_string() } else { format!("!{name}") }).collect();
    format!("({})", set.join(" && "))
}
