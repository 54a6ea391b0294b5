//! Termination detection: the four-counter method of Mattern ("Algorithms for distributed termination detection", Distributed
//! Computing 2, 1987, section 4).
//!
//! Every rank counts the records that it has sent and those that it has received. Rank 0 asks all ranks for their counters, in waves;
//! a rank answers when it has no work. Let R be the number of received records in one wave and S the number of sent records in the
//! next one. Records received before the end of the first wave are at least R, and records sent before that time are at most S, and
//! no more records can be received than were sent. So if R = S, at that time no record was on its way. A rank that has answered gets
//! work only from a record; it would have counted it, and R would be less. So no rank had work, either.

use std::time::Duration;

/// Counters of records.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counters {
    pub sent: u64,
    pub received: u64,
}

/// The part of rank 0: it asks in waves and compares.
#[derive(Clone, Default, Debug)]
pub(super) struct Detector {
    /// The number of the wave that is under way, or of the last one.
    wave: u64,
    /// The ranks that have answered the wave, if one is under way.
    answers: Option<usize>,
    sum: Counters,
    /// The sum of the wave before, in the same phase.
    before: Option<Counters>,
}

impl Detector {
    /// Begins a wave, unless one is under way. Returns its number.
    pub fn begin_wave(&mut self) -> Option<u64> {
        if self.answers.is_some() {
            return None;
        }
        self.wave += 1;
        (self.answers, self.sum) = (Some(0), Counters::default());
        Some(self.wave)
    }

    /// Whether a wave is under way.
    pub fn is_under_way(&self) -> bool {
        self.answers.is_some()
    }

    /// Takes the answer of a rank. Returns whether all ranks have ended.
    pub fn answer(&mut self, wave: u64, counters: Counters, ranks: usize) -> bool {
        let Some(answers) = self.answers.as_mut().filter(|_| wave == self.wave) else { return false };
        *answers += 1;
        self.sum.sent += counters.sent;
        self.sum.received += counters.received;
        if *answers < ranks {
            return false;
        }
        self.answers = None;
        let ended = self.before.is_some_and(|before| before.received == self.sum.sent);
        self.before = if ended { None } else { Some(self.sum) };
        ended
    }
}

/// Waves of a phase that begin at once.
const AT_ONCE: u32 = 4;

/// The longest pause between two waves.
const PAUSE: Duration = Duration::from_millis(1);

/// When rank 0 begins its waves. A phase in which few records are on their way at a time, such as a token, lasts long, and most ranks
/// have no work all the time: waves without pauses would slow it down.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Waves {
    /// When the phase has begun.
    start: Duration,
    /// The waves of the phase.
    pub begun: u32,
    /// No wave begins before this time.
    next: Duration,
}

impl Waves {
    /// A phase begins.
    pub fn of_phase(start: Duration) -> Waves {
        Waves { start, ..Waves::default() }
    }

    pub fn is_due(&self, now: Duration) -> bool {
        self.begun < AT_ONCE || now >= self.next
    }

    /// A wave has not ended the phase.
    pub fn has_ended(&mut self, now: Duration) {
        self.next = now + PAUSE.min(now.saturating_sub(self.start) / 16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of successive waves, and whether the last one ends the phase.
    fn ends(waves: &[(u64, u64)]) -> bool {
        let mut detector = Detector::default();
        let mut ended = false;
        for (sent, received) in waves {
            let wave = detector.begin_wave().expect("no wave is under way");
            assert!(detector.begin_wave().is_none());
            assert!(!detector.answer(wave, Counters { sent: *sent, received: 0 }, 2));
            ended = detector.answer(wave, Counters { sent: 0, received: *received }, 2);
        }
        ended
    }

    #[test]
    fn two_waves_with_equal_counters_end_a_phase() {
        assert!(ends(&[(0, 0), (0, 0)]));
        assert!(ends(&[(3, 2), (3, 3), (3, 3)]));
    }

    #[test]
    fn one_wave_is_not_enough() {
        assert!(!ends(&[(3, 3)]));
        assert!(!ends(&[(3, 2), (3, 3)]));
        // The records that were sent after the answer of their sender were received before the answer of their receiver.
        assert!(!ends(&[(3, 3), (5, 5)]));
    }
}
