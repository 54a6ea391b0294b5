//! Systems and formulas as text in each language.

mod dve;
mod esml;
mod promela;

use super::ctl::{Ctl, Path, Quantifier};
use super::ltl::Ltl;
use super::system::{Expr, Language, System};

/// The model, as a file of its language.
pub fn model(system: &System) -> String {
    match system.language {
        Language::Promela => promela::model(system),
        Language::Dve => dve::model(system),
        Language::Esml => esml::model(system),
    }
}

/// The end of the file's name.
pub fn extension(language: Language) -> &'static str {
    match language {
        Language::Promela => "pml",
        Language::Dve => "dve",
        Language::Esml => "esml",
    }
}

/// A condition, as it is asked about from outside.
pub fn condition(system: &System, e: &Expr) -> String {
    match system.language {
        Language::Promela => promela::condition(system, e),
        Language::Dve => dve::condition(system, e),
        Language::Esml => esml::condition(system, e),
    }
}

/// A proposition inside a formula.
fn proposition(system: &System, e: &Expr) -> String {
    let text = condition(system, e);
    // Some operators of the language are not those of the logic.
    let braces = system.language == Language::Esml || system.language == Language::Dve && text.contains("->");
    if braces { format!("{{{text}}}") } else { format!("({text})") }
}

pub fn ltl(system: &System, f: &Ltl) -> String {
    let show = |f: &Ltl| ltl(system, f);
    match f {
        Ltl::Prop(e) => proposition(system, e),
        Ltl::Not(a) => format!("!({})", show(a)),
        Ltl::And(a, b) => format!("({} && {})", show(a), show(b)),
        Ltl::Or(a, b) => format!("({} || {})", show(a), show(b)),
        Ltl::Implies(a, b) => format!("({} -> {})", show(a), show(b)),
        Ltl::Next(a) => format!("X ({})", show(a)),
        Ltl::Eventually(a) => format!("<> ({})", show(a)),
        Ltl::Always(a) => format!("[] ({})", show(a)),
        Ltl::Until(a, b) => format!("({} U {})", show(a), show(b)),
        Ltl::WeakUntil(a, b) => format!("({} W {})", show(a), show(b)),
        Ltl::Release(a, b) => format!("({} V {})", show(a), show(b)),
    }
}

pub fn ctl(system: &System, f: &Ctl) -> String {
    let show = |f: &Ctl| ctl(system, f);
    match f {
        Ctl::Prop(e) => proposition(system, e),
        Ctl::Not(a) => format!("!({})", show(a)),
        Ctl::And(a, b) => format!("({} && {})", show(a), show(b)),
        Ctl::Or(a, b) => format!("({} || {})", show(a), show(b)),
        Ctl::Implies(a, b) => format!("({} -> {})", show(a), show(b)),
        Ctl::Path(q, path) => {
            let q = if *q == Quantifier::All { 'A' } else { 'E' };
            match &**path {
                Path::Next(a) => format!("{q}X ({})", show(a)),
                Path::Eventually(a) => format!("{q}F ({})", show(a)),
                Path::Always(a) => format!("{q}G ({})", show(a)),
                Path::Until(a, b) => format!("{q}[{} U {}]", show(a), show(b)),
                Path::WeakUntil(a, b) => format!("{q}[{} W {}]", show(a), show(b)),
                Path::Release(a, b) => format!("{q}[{} R {}]", show(a), show(b)),
            }
        }
    }
}
