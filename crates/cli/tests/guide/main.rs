//! The user guide against the program: the screens it shows and the options it names.
#![cfg(unix)]

mod desk;
mod links;
mod mask;
mod options;
mod page;
mod screens;
