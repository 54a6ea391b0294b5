//! A debug adapter: simulations and counterexamples of models in an editor, forwards and backwards.
//!
//! [`serve`] speaks the Debug Adapter Protocol with one client, over any pair of streams. What is debugged is a
//! [`kripke::stepping::Session`]; a [`Host`] opens it, so this crate knows no command line and opens no files. A process of the
//! model is a thread of the protocol, its next statement the top frame of its stack. A step of the run is a step of the protocol,
//! whichever process makes it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod breakpoints;
mod client;
mod debuggee;
mod evaluate;
mod frames;
mod framing;
mod launch;
mod lines;
mod motion;
mod requests;
mod server;
mod values;

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use client::{Client, Stage};
pub use framing::Malformed;
pub use launch::{Launch, Mode};

use kripke::stepping::Session;

/// The outcome of a launch.
#[derive(Debug)]
pub enum Opening {
    /// There is a run to debug.
    Session {
        /// The session, at the start of the run.
        session: Box<Session>,
        /// Remarks for the user: warnings about the model, the verdict of a check.
        remarks: Vec<String>,
    },
    /// There is nothing to debug: the check found no counterexample.
    Nothing {
        /// The verdict in words.
        summary: String,
        /// The exit status of the check.
        status: i32,
    },
}

/// Opens what a client wants to debug.
pub trait Host {
    /// Opens a session, or says why there is none. A long check reports to `client`, and stops when the flag of
    /// [`Client::interrupt`] is set.
    fn open(&self, launch: &Launch, client: &Client) -> Result<Opening, String>;

    /// Writes the run of a session up to the current step as a trail file. Returns what was done, or why not.
    fn save(&self, session: &Session, launch: &Launch, name: Option<&str>) -> Result<String, String>;
}

/// Answers the requests of a client until it disconnects or the input ends. An input that is not the protocol is an error.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    host: &dyn Host,
) -> Result<(), Malformed> {
    let client = Arc::new(Client::new(output));
    let incoming = client::listen(input, client.clone());
    server::Server::new(&client, host).run(&incoming)
}

/// A flag that stops a search when it is set.
pub type Interrupt = Arc<AtomicBool>;
