//! The command lines that cells are run with.

/// What every search of the reachable states must find: both engines, orders, thread counts, with and without reductions.
pub const SAFETY: [&[&str]; 8] = [
    &[],
    &["-j1"],
    &["--engine=interpret"],
    &["--raw"],
    &["--search=dfs"],
    &["--raw", "--engine=interpret", "--search=dfs"],
    &["--raw", "-j2", "--all-errors"],
    &["--no-coarsening", "--no-partial-order"],
];

/// Reduced and not, on one engine each: for combinations in which the search makes no difference.
pub const BRIEF: [&[&str]; 2] = [&[], &["--raw", "--engine=interpret"]];

/// Stores, representations of states, reductions that are not on by default.
pub const STORES: [&[&str]; 10] = [
    &["--store=exact"],
    &["--store=tree"],
    &["--store=cache"],
    &["--store=hash"],
    &["--store=bitstate", "-w16"],
    &["--swarm=2", "-w16"],
    &["--compact"],
    &["--symmetry"],
    &["--no-slicing", "--no-dead-variables"],
    &["--audit=1"],
];

/// Searches for cycles: a fault of the model is found on the way.
pub const CYCLES: [&[&str]; 8] = [
    &["-a"],
    &["-a", "--cycles=nested", "-j1"],
    &["-a", "--cycles=cndfs", "-j2"],
    &["-a", "--cycles=ufscc", "-j2"],
    &["-a", "--cycles=scc", "--raw", "--engine=interpret"],
    &["-a", "-f"],
    &["-l"],
    &["-l", "--raw", "--engine=interpret"],
];
