//! The decisions of a plan, one by one: the screen of `check -v` and JSON show the same list.

use serde::Serialize;

/// One decision about how a question is answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Decision {
    /// The part of the search that is decided: `store`, `partial-order`.
    pub item: &'static str,
    /// The value: `auto`, `on`, `off`.
    pub value: String,
    /// The reason: the option that asks for it, the default, or the rule that requires it.
    pub reason: String,
}

/// The decisions as an indented table.
pub fn table(decisions: &[Decision]) -> String {
    let width = |of: fn(&Decision) -> &str| decisions.iter().map(|d| of(d).chars().count()).max().unwrap_or(0);
    let (item, value) = (width(|d| d.item), width(|d| &d.value));
    let row = |d: &Decision| format!("    {:<item$}  {:<value$}  {}\n", d.item, d.value, d.reason);
    decisions.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_longest_entry() {
        let decision =
            |item, value: &str, reason: &str| Decision { item, value: value.to_string(), reason: reason.to_string() };
        let decisions = [decision("store", "exact", "--store"), decision("partial-order", "on", "default")];
        let expected = "    store          exact  --store\n    partial-order  on     default\n";
        assert_eq!(table(&decisions), expected);
    }
}
