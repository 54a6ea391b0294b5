//! Random words, and the comparison of secrets.

/// A random word of hexadecimal digits, made of so many random bytes.
pub(crate) fn word(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    // Without random numbers nothing of this server is safe.
    getrandom::fill(&mut random).expect("the system has random numbers");
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether two texts are equal, in a time that does not depend on the place of the first difference.
pub(crate) fn equal(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_differ() {
        assert_eq!(word(32).len(), 64);
        assert_ne!(word(16), word(16));
        assert!(equal("abc", "abc") && !equal("abc", "abd") && !equal("abc", "abcd") && !equal("", "a"));
    }
}
