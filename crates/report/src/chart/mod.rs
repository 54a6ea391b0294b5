//! Message sequence charts: processes as lanes, steps as rows from top to bottom, messages as arrows.
//!
//! A [`Chart`] is made from a run; [`text`], [`svg`] and [`mermaid`] draw it.

mod build;
pub mod mermaid;
mod queues;
pub mod svg;
pub mod text;

pub use build::chart;

/// A run as lanes, rows and messages.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The model's name.
    pub title: String,
    /// The processes of the run, by process number.
    pub lanes: Vec<Lane>,
    /// The rows in the order of execution.
    pub rows: Vec<Row>,
    /// The messages that are buffered during the run.
    pub messages: Vec<Message>,
    /// The first row of the cycle of a lasso.
    pub cycle: Option<usize>,
    /// The error at the end of the run.
    pub error: Option<String>,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The name of the process.
    pub name: String,
    /// The rows in which the process is alive: the first one and the one after the last.
    pub alive: Vec<(usize, usize)>,
}

/// An action of one process, or of two at a rendezvous. A step has several rows if it has several channel operations,
/// or if several processes move together.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number of the step.
    pub step: usize,
    /// Whether this is the first row of its step.
    pub leads: bool,
    /// The line of the statement.
    pub line: String,
    /// The action; `None` if no process moves.
    pub act: Option<Act>,
    /// The statement, or the channel operation with its values.
    pub text: String,
    /// The values that the step changes: `x = 3`.
    pub changes: Vec<String>,
    /// The printed output of the step.
    pub output: String,
}

/// An action in a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// The index of the lane.
    pub lane: usize,
    /// The kind of the action.
    pub kind: Kind,
}

/// The kind of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A step without a message.
    Local,
    /// A rendezvous with a receiver in this lane.
    Rendezvous(usize),
    /// A send of a buffered message.
    Send(usize),
    /// A receive of a buffered message.
    Receive(usize),
    /// A send whose message is lost, since the channel is full.
    Lost,
}

/// A buffered message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The row of the send; `None` for a message that is in the channel at the start.
    pub sent: Option<usize>,
    /// The row of the receive that takes the message out of the channel.
    pub received: Option<usize>,
}

impl Chart {
    /// Whether a process is alive in a row.
    pub fn is_alive(&self, lane: usize, row: usize) -> bool {
        self.lanes[lane].alive.iter().any(|(from, to)| (*from..*to).contains(&row))
    }

    /// The lane of the send of a message.
    fn sender(&self, message: usize) -> Option<usize> {
        self.messages[message].sent.and_then(|row| self.rows[row].act).map(|act| act.lane)
    }

    /// The cycle in words.
    pub fn cycle_text(&self) -> Option<String> {
        let first = self.cycle?;
        Some(match (self.rows.get(first), self.rows.last()) {
            (Some(from), Some(to)) if from.step == to.step => format!("cycle: step {}", from.step),
            (Some(from), Some(to)) => format!("cycle: steps {} to {}", from.step, to.step),
            _ => "cycle: no process can move, the last state repeats".to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
