//! Tests of the public interface of the crate.

mod cached;
mod certificate;
mod ctl;
mod explore;
mod graph;
mod limits;
mod liveness;
mod lossy;
mod store;
