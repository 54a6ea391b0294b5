//! Requests that can't be answered.

use std::fmt::Display;

use kripke::error::Error;
use kripke::graph::GraphError;
use kripke::load::InputError;
use kripke::stepping::{ConditionError, OpenError};
use kripke_report::number::grouped;
use serde_json::{Map, Value, json};

/// The reason why there is no answer: a status of HTTP and a text, and what else the client can use.
#[derive(Debug)]
pub(super) struct Failure {
    status: u16,
    error: String,
    more: Map<String, Value>,
}

impl Failure {
    pub fn new(status: u16, error: &str) -> Failure {
        Failure { status, error: error.to_string(), more: Map::new() }
    }

    /// A request that is not understood.
    pub fn malformed(why: &dyn Display) -> Failure {
        Failure::new(400, &format!("the request is malformed: {why}"))
    }

    /// The model, a formula or an expression has an error.
    pub fn wrong(why: &dyn Display) -> Failure {
        Failure::new(422, &why.to_string())
    }

    pub fn with(mut self, name: &str, value: Value) -> Failure {
        self.more.insert(name.to_string(), value);
        self
    }

    pub fn value(self) -> Value {
        let mut value = self.more;
        value.insert("status".to_string(), self.status.into());
        value.insert("error".to_string(), self.error.into());
        Value::Object(value)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        let first = error.complaints.iter().find(|c| c.severity == "error");
        let failure = Failure::wrong(&first.map_or(error.brief(), |c| c.message.clone()));
        match first {
            Some(c) => failure
                .with("place", json!({ "file": c.file, "line": c.line, "column": c.column }))
                .with("help", json!(c.help)),
            None => failure,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Input(error) => error.into(),
            error => Failure::wrong(&error),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match error {
            OpenError::Model(error) => error.into(),
            OpenError::Trail(why) => Failure::wrong(&why),
        }
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Failure {
        match error {
            GraphError::Error(error) => error.into(),
            GraphError::TooLarge(limit) => {
                Failure::wrong(&format!("the graph has more than {} states", grouped(limit.most as u64)))
            }
            GraphError::Trail(why) => Failure::wrong(&why),
        }
    }
}

impl From<ConditionError> for Failure {
    fn from(error: ConditionError) -> Failure {
        Failure::wrong(&error.brief)
    }
}
