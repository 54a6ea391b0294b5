//! Trails of the interpreter. What models mean is shown by the models in `ir/`.

use std::sync::Arc;

use kripke_model::trail::Ending;
use kripke_model::{Fault, FindingKind, Interpreter, Model, Trail};

#[test]
fn a_fault_ends_the_run_and_its_trail_is_replayed() {
    let model = Model::parse(include_str!("../ir/index-out-of-range.ir")).expect("it can be read");
    let mut interpreter = Interpreter::new(Arc::new(model)).expect("fits");
    let trail = Trail { choices: vec![0], ending: Ending::Finding(0) };
    let replayed = trail.replay(&mut interpreter).expect("it is a run");
    assert_eq!(replayed.moves().len(), 2);
    let fault = Fault::IndexOutOfRange { var: "a".to_string(), index: 2, len: 2 };
    assert_eq!(replayed.finding().map(|f| &f.kind), Some(&FindingKind::Fault(fault)));
    let wrong = Trail { choices: vec![1], ending: Ending::State };
    assert!(wrong.replay(&mut interpreter).is_err());
    let wrong = Trail { choices: vec![0], ending: Ending::InvalidEnd };
    assert!(wrong.replay(&mut interpreter).is_err());
}

#[test]
fn an_error_at_the_start_has_a_place() {
    let model = Model::parse("global y: u8 global x: u8 = (3 / y) @4..9").expect("it can be read");
    let span = model.globals[1].span;
    let error = Interpreter::new(Arc::new(model)).expect_err("x = 3 / y");
    assert_eq!((error.message.as_str(), error.span), ("initial value of `x`: division by zero", Some(span)));
}
