//! The page: model, run, counterexample and state graph in a browser.
//!
//! The crate has two halves. The server (`http`, `jobs`, `accounts`, …) answers requests, keeps files, jobs and accounts, and starts
//! processes; it does not read models. [`worker`] is what such a process does: it calls the library. Checks are executed by the
//! program itself, one process for each job. API.md describes the requests.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod accounts;
mod app;
mod config;
mod database;
mod http;
mod jobs;
mod load;
mod options;
mod patterns;
mod process;
mod projects;
mod rate;
mod redirect;
mod refusal;
mod secret;
mod sessions;
mod start;
pub mod worker;

pub use redirect::Redirect;
pub use start::{Ui, add_user, serve_group};
