//! Tests of the public interface of the crate.

mod examples;
mod ignoring;
mod judging;
mod plan;
mod stepping;
