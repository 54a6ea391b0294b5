//! Components of small graphs.

use super::*;

fn found(states: &[(u64, u32)], edges: &[(u64, u64)]) -> Vec<Vec<(u64, u32)>> {
    let states = states.iter().map(|(id, marks)| (StateId::new(*id), *marks)).collect();
    let mut all: HashMap<StateId, Vec<StateId>> = HashMap::new();
    edges.iter().for_each(|(from, to)| all.entry(StateId::new(*from)).or_default().push(StateId::new(*to)));
    let mut out: Vec<Vec<(u64, u32)>> =
        components(&states, &all).iter().map(|c| c.iter().map(|(id, marks)| (id.get(), *marks)).collect()).collect();
    out.sort();
    out
}

#[test]
fn components_are_the_largest_sets_of_states_that_reach_each_other() {
    let edges = [(1, 2), (2, 1), (2, 3), (3, 4), (4, 5), (5, 3), (5, 5), (6, 1)];
    let all = [(1, 1), (2, 0), (3, 2), (4, 0), (5, 0), (6, 0)];
    assert_eq!(found(&all, &edges), [vec![(1, 1), (2, 0)], vec![(3, 2), (4, 0), (5, 0)], vec![(6, 0)]]);
    // Without some states, ways through them do not count.
    assert_eq!(found(&[(1, 0), (3, 0), (5, 0)], &edges), [vec![(1, 0)], vec![(3, 0)], vec![(5, 0)]]);
    assert_eq!(found(&[(3, 0), (4, 0)], &edges), [vec![(3, 0)], vec![(4, 0)]]);
    assert!(found(&[], &edges).is_empty());
}
