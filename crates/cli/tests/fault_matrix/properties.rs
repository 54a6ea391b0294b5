//! Promela: faults in `provided`, never claims and formulas, of the model and of the command line.

use crate::cell::{Cell, Expect, Matrix, PLACE, line_of, strings};
use crate::configurations::BRIEF;
use crate::promela::{FAULTY, Faulty, PARTS, Part, WHOLE, When, prelude};

/// Where a form of a property is written.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    /// On the top level of the model.
    Model,
    /// As the head of the only other process.
    Head,
    Ltl,
    LtlFile,
    Ctl,
    Reach,
}

/// A property that holds where its expression is 0 or 1.
struct Form {
    name: &'static str,
    place: Where,
    text: &'static str,
    /// Whether the expression is evaluated.
    evaluated: bool,
    /// Whether it is evaluated in every state: then it faults, too, if it begins to fault later.
    always: bool,
}

const fn always(place: Where, name: &'static str, text: &'static str) -> Form {
    Form { name, place, text, evaluated: true, always: true }
}

const fn at_start(place: Where, name: &'static str, text: &'static str) -> Form {
    Form { name, place, text, evaluated: true, always: false }
}

const fn never(place: Where, name: &'static str, text: &'static str) -> Form {
    Form { name, place, text, evaluated: false, always: true }
}

use Where::{Ctl, Head, Ltl, LtlFile, Model, Reach};

const FORMS: [Form; 55] = [
    always(Head, "provided", "provided (({E}) != 77)"),
    always(Model, "guard of claim", "never { do :: ({E}) == 77 -> break :: else od }"),
    always(Model, "second guard of claim", "never { do :: true :: ({E}) == 77 -> break od }"),
    always(Model, "assertion of claim", "never { do :: assert(({E}) != 77) od }"),
    always(Model, "accepting claim", "never { do :: ({E}) == 77 -> goto accept :: true od; accept: do :: true od }"),
    always(Model, "atomic in claim", "never { do :: atomic { ({E}) == 77 -> break } :: true od }"),
    always(Model, "ltl always", "ltl p { [] (({E}) != 77) }"),
    always(Model, "ltl not eventually", "ltl p { ! <> (({E}) == 77) }"),
    always(Model, "ltl again and again", "ltl p { [] <> (({E}) != 77) }"),
    at_start(Model, "ltl eventually", "ltl p { <> (({E}) != 77) }"),
    at_start(Model, "ltl until", "ltl p { (x < 9) U (({E}) != 77) }"),
    always(Model, "ltl weak until", "ltl p { (({E}) != 77) W (x == 100) }"),
    always(Model, "ltl response", "ltl p { [] ((x == 1) -> <> (({E}) != 77)) }"),
    always(Model, "ltl right of and", "ltl p { [] ((x < 9) && (({E}) != 77)) }"),
    always(Model, "ltl left of and", "ltl p { [] ((({E}) != 77) && (x < 9)) }"),
    always(Model, "ltl left of or", "ltl p { [] ((({E}) != 77) || (x < 9)) }"),
    always(Model, "ltl right of or", "ltl p { [] ((x > 9) || (({E}) != 77)) }"),
    always(Model, "ltl left of implication", "ltl p { [] ((({E}) == 77) -> (x > 9)) }"),
    always(Model, "ltl right of implication", "ltl p { [] ((x < 9) -> (({E}) != 77)) }"),
    never(Model, "ltl behind a true or", "ltl p { [] ((x < 9) || (({E}) != 77)) }"),
    never(Model, "ltl behind a false and", "ltl p { [] ! ((x > 9) && (({E}) != 77)) }"),
    never(Model, "ltl behind a false implication", "ltl p { [] ((x > 9) -> (({E}) != 77)) }"),
    always(Ltl, "--ltl always", "[] (({E}) != 77)"),
    always(Ltl, "--ltl not eventually", "! <> (({E}) == 77)"),
    always(Ltl, "--ltl again and again", "[] <> (({E}) != 77)"),
    always(Ltl, "--ltl in the end", "<> [] (({E}) != 77)"),
    at_start(Ltl, "--ltl eventually", "<> (({E}) != 77)"),
    at_start(Ltl, "--ltl until", "(x < 9) U (({E}) != 77)"),
    at_start(Ltl, "--ltl next", "X (({E}) != 77)"),
    always(Ltl, "--ltl right of implication", "[] ((x < 9) -> (({E}) != 77))"),
    always(Ltl, "--ltl left of or", "[] ((({E}) != 77) || (x < 9))"),
    always(Ltl, "--ltl left of and", "[] ((({E}) != 77) && (x < 9))"),
    never(Ltl, "--ltl behind a true or", "[] ((x < 9) || (({E}) != 77))"),
    never(Ltl, "--ltl behind a false implication", "[] ((x > 9) -> (({E}) != 77))"),
    always(LtlFile, "--ltl-file", "#define good (({E}) != 77)\n#property G good\n"),
    always(Ctl, "--ctl always", "AG (({E}) != 77)"),
    always(Ctl, "--ctl not possibly", "! EF (({E}) == 77)"),
    at_start(Ctl, "--ctl possibly", "EF (({E}) != 77)"),
    at_start(Ctl, "--ctl inevitably", "AF (({E}) != 77)"),
    at_start(Ctl, "--ctl next", "AX (({E}) != 77)"),
    at_start(Ctl, "--ctl possibly next", "EX (({E}) != 77)"),
    at_start(Ctl, "--ctl possibly always", "EG (({E}) != 77)"),
    at_start(Ctl, "--ctl until", "A[(x < 9) U (({E}) != 77)]"),
    always(Ctl, "--ctl first of until", "A[(({E}) != 77) U (x == 3)]"),
    at_start(Ctl, "--ctl possible until", "E[(x < 9) U (({E}) != 77)]"),
    always(Ctl, "--ctl possible again", "AG EF (({E}) != 77)"),
    always(Ctl, "--ctl right of implication", "AG ((x < 9) -> (({E}) != 77))"),
    always(Ctl, "--ctl left of or", "AG ((({E}) != 77) || (x < 9))"),
    always(Ctl, "--ctl left of and", "AG ((({E}) != 77) && (x < 9))"),
    never(Ctl, "--ctl behind a true or", "AG ((x < 9) || (({E}) != 77))"),
    never(Ctl, "--ctl behind a false implication", "AG ((x > 9) -> (({E}) != 77))"),
    always(Reach, "--reach", "({E}) == 77"),
    always(Reach, "--reach not", "!(({E}) != 77)"),
    always(Reach, "--reach right of and", "x < 9 && ({E}) == 77"),
    never(Reach, "--reach behind a false and", "x > 9 && ({E}) == 77"),
];

/// Searches for accepting runs.
const CYCLES: [&[&str]; 9] = [
    &["-j1"],
    &["--cycles=scc"],
    &["--cycles=nested", "-j1"],
    &["--cycles=cndfs", "-j2"],
    &["--cycles=ufscc", "-j2"],
    &["--fair=weak"],
    &["--fair=strong"],
    &["--fair=weak", "--raw", "--engine=interpret"],
    &["--no-partial-order", "--no-coarsening"],
];

const ORDERS: [&[&str]; 5] =
    [&["-j1"], &["--search=dfs"], &["--raw", "-j2"], &["--engine=interpret"], &["--store=tree"]];

impl Form {
    fn model(&self, when: When) -> String {
        let (claim, head) = match self.place {
            Where::Model => (self.text, ""),
            Where::Head => ("", self.text),
            _ => ("", ""),
        };
        format!("{}{claim}\nactive proctype P() {head}\n{{ x = 1; x = 2; x = 3 }}\n", prelude(when))
    }

    /// The options that ask for it, with the expression in.
    fn asked(&self, expression: &str) -> Vec<String> {
        let text = self.text.replace(PLACE, expression);
        match self.place {
            Where::Model | Where::Head => Vec::new(),
            Where::Ltl => vec!["--ltl".to_string(), text],
            Where::LtlFile => vec!["--ltl-file".to_string(), format!("{{FILE}}{text}")],
            Where::Ctl => vec!["--ctl".to_string(), text],
            Where::Reach => vec!["--reach".to_string(), text],
        }
    }
}

fn add(matrix: &mut Matrix, at: (&Form, When), of: (&Faulty, &Part), options: &[&[&str]]) {
    let ((form, when), (faulty, part)) = (at, of);
    let name = format!("{}: {}, {}, {when:?}", form.name, faulty.name, part.name);
    if when == When::Later && faulty.kind == "no_channel" {
        matrix.left_out.push((name, "a channel that was initialised stays initialised"));
        return;
    }
    if when == When::Later && !form.always {
        matrix.left_out.push((name, "decided in the first state, before the expression faults"));
        return;
    }
    if form.text.starts_with("ltl") && part.text.contains("->") {
        matrix.left_out.push((name, "`->` is implication in an ltl block, in SPIN, too"));
        return;
    }
    let expression = part.text.replace(PLACE, faulty.text);
    let text = form.model(when);
    let line = text.contains(PLACE).then(|| line_of(&text, PLACE));
    let evaluated = form.evaluated && part.evaluated;
    for options in options {
        matrix.cells.push(Cell {
            name: name.clone(),
            ending: "pml",
            text: text.replace(PLACE, &expression),
            options: [form.asked(&expression), strings(options)].concat(),
            expect: if evaluated { Expect::Fault(faulty.kind, line) } else { Expect::Holds },
        });
    }
}

pub fn matrix() -> Matrix {
    let mut matrix = Matrix::default();
    let (first, division) = (&FAULTY[0], &FAULTY[5]);
    for form in &FORMS {
        for faulty in &FAULTY {
            add(&mut matrix, (form, When::AtStart), (faulty, &WHOLE), &BRIEF);
        }
        let when = if form.always { When::Later } else { When::AtStart };
        let searches: &[&[&str]] = if matches!(form.place, Ctl | Reach | Head) { &ORDERS } else { &CYCLES };
        add(&mut matrix, (form, when), (first, &WHOLE), searches);
        add(&mut matrix, (form, When::Later), (division, &WHOLE), &BRIEF);
        for part in &PARTS {
            add(&mut matrix, (form, when), (first, part), &BRIEF[..1]);
        }
    }
    matrix
}
