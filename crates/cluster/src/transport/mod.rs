//! Transports: how frames of bytes go from one rank to another.
//!
//! A rank is one of the processes or threads that search together. Frames from one rank to another arrive in the order in which
//! they were sent; frames of different senders arrive in any order.

#[cfg(feature = "mpi")]
pub mod mpi;
pub mod simulated;
pub mod threads;

use std::fmt;
use std::time::Duration;

/// A frame: the bytes that a transport carries as one.
pub type Frame = Vec<u8>;

/// Why the ranks can't go on together. The result of the search is unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// This rank has ended before the search.
    Lost(usize),
    /// Nothing was heard of this rank for so long.
    Silent(usize, Duration),
    /// This rank itself is to end: only a simulated network says so.
    Killed,
    /// A frame of this rank makes no sense: ranks of different programs, or an error of ours.
    Protocol(usize, &'static str),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Lost(rank) => write!(f, "rank {rank} was lost"),
            Failure::Silent(rank, time) => write!(f, "nothing was heard of rank {rank} for {} s", time.as_secs()),
            Failure::Killed => write!(f, "the rank was told to end"),
            Failure::Protocol(rank, what) => write!(f, "a message of rank {rank} makes no sense: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Whether a transport may refuse a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    /// The receiver may have too many frames already.
    Normal,
    /// The frame is small and always accepted.
    Urgent,
}

/// The end of a transport that one rank holds.
pub trait Transport: Send {
    /// The number of this rank.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Sends a frame. Gives it back if the receiver can't take more now.
    fn send(&mut self, to: usize, frame: Frame, urgency: Urgency) -> Result<Option<Frame>, Failure>;

    /// The next frame, with its sender, if one has arrived.
    fn receive(&mut self) -> Result<Option<(usize, Frame)>, Failure>;

    /// Waits a short time, or until a frame arrives.
    fn wait(&mut self) -> Result<(), Failure>;

    /// The time since the start.
    fn now(&self) -> Duration;

    /// Tells the others that this rank ends as it should.
    fn leave(&mut self);
}
