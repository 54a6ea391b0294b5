//! Links between pages lead somewhere, and the table of contents has all pages.

use std::collections::{BTreeMap, BTreeSet};

use crate::page::{Page, pages, root};

/// The anchors of a page's headings, as GitHub and mdBook name them.
fn anchors(page: &Page) -> BTreeSet<String> {
    let mut fenced = false;
    let mut out: BTreeSet<String> = BTreeSet::new();
    for line in page.text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() {
            continue;
        }
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        out.insert(kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect());
    }
    out
}

/// The targets of a page's links, without those to other sites.
fn targets(page: &Page) -> Vec<String> {
    let after = page.text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    after.map(|(target, _)| target.to_string()).filter(|target| !target.contains("://")).collect()
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let known: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|page| (page.name.as_str(), anchors(page))).collect();
    let mut broken: Vec<String> = Vec::new();
    for page in &pages {
        let folder = page.name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for target in targets(page) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let name = if file.is_empty() { page.name.clone() } else { format!("{folder}{file}") };
            let there = root().join(&name).exists();
            if !there || !anchor.is_empty() && !known.get(name.as_str()).is_some_and(|all| all.contains(anchor)) {
                broken.push(format!("{}: {target}", page.name));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_table_of_contents_has_all_pages() {
    let pages = pages();
    let summary = pages.iter().find(|page| page.name == "docs/src/SUMMARY.md").unwrap();
    let listed: BTreeSet<String> = targets(summary).into_iter().collect();
    let files =
        pages.iter().filter_map(|page| page.name.strip_prefix("docs/src/")).filter(|name| *name != "SUMMARY.md");
    assert_eq!(listed, files.map(String::from).collect());
}
