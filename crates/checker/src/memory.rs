//! How much memory there is, and how much we took.

use std::fs;

/// The most memory the program has had at any time, in bytes; 0 where the system does not tell.
pub fn peak() -> u64 {
    fs::read_to_string("/proc/self/status").ok().and_then(|text| field(&text, "VmHWM:")).unwrap_or(0)
}

/// The memory the program has now, in bytes; 0 where the system does not tell.
pub fn now() -> u64 {
    let pages = |text: String| text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    fs::read_to_string("/proc/self/statm").ok().and_then(pages).map_or(0, |pages| pages * page())
}

/// Bytes of a page of memory.
fn page() -> u64 {
    #[cfg(unix)]
    return rustix::param::page_size() as u64;
    #[cfg(not(unix))]
    4096
}

/// Three quarters of what the machine, or the container, has.
pub fn default_limit() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal:"));
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    [machine, container].into_iter().flatten().min().map(|bytes| bytes / 4 * 3)
}

/// The value of a line like `VmHWM:    1234 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_kilobytes() {
        let text = "Name:\tkripke\nVmHWM:\t    1234 kB\nVmRSS:\t 7 kB\n";
        assert_eq!(field(text, "VmHWM:"), Some(1234 * 1024));
        assert_eq!(field(text, "VmSwap:"), None);
    }
}
