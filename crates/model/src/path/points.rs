//! The points of a run, as differences.

use crate::interpret::Point;
use crate::successors::State;

/// A point is stored in full where the differences since the last such point are so many times as long as the state, ...
const RATIO: usize = 4;
/// ... or as numerous as this.
const MOST: usize = 1 << 10;
/// Fewer equal bytes than this between two changed ones do not begin a new piece of a difference.
const GAP: usize = 3;
/// The number of bytes that are compared at once.
const BLOCK: usize = 64;

/// Points in the order of a run. A point is stored as its difference to the one before; one that is stored in full is a
/// difference to the empty state.
///
/// A difference is a byte of flags, the process in control if there is one, the length of the state if it is another, and
/// pieces: the number of changed bytes, the number of unchanged ones before, and the changed ones. No changed bytes end it.
#[derive(Clone, Debug)]
pub(super) struct Points {
    bytes: Vec<u8>,
    /// The points that are stored in full: their numbers and their positions in `bytes`.
    full: Vec<(usize, usize)>,
    last: Point,
    len: usize,
}

/// The flag of a difference with a process in control.
const CONTROLLED: u8 = 1;
/// The flag of a difference with another length.
const RESIZED: u8 = 2;

impl Points {
    pub fn new(first: &Point) -> Points {
        let mut points = Points { bytes: Vec::new(), full: Vec::new(), last: Point::free(Vec::new()), len: 0 };
        points.push(first);
        points
    }

    pub fn push(&mut self, point: &Point) {
        let is_full = self.full.last().is_none_or(|(first, from)| {
            self.bytes.len() - from > RATIO * point.state.len().max(BLOCK) || self.len - first >= MOST
        });
        if is_full {
            self.full.push((self.len, self.bytes.len()));
        }
        let before = if is_full { &[] } else { &self.last.state[..] };
        append(&mut self.bytes, before, point);
        self.last.state.clone_from(&point.state);
        self.last.control = point.control;
        self.len += 1;
    }

    /// Appends the last point once more.
    pub fn repeat(&mut self) {
        let last = self.last.clone();
        self.push(&last);
    }

    pub fn point(&self, number: usize) -> Point {
        if number + 1 == self.len {
            return self.last.clone();
        }
        let mut cursor = Cursor::before(self, number);
        cursor.go(number);
        cursor.point
    }

    /// The points from one on, up to before another.
    pub fn part(&self, from: usize, to: usize) -> Points {
        let mut cursor = Cursor::before(self, from);
        cursor.go(from);
        let mut part = Points::new(&cursor.point);
        for number in from + 1..to {
            cursor.go(number);
            part.push(&cursor.point);
        }
        part
    }

    /// Keeps only the first points.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            let mut cursor = Cursor::before(self, len - 1);
            cursor.go(len - 1);
            let (end, last) = (cursor.position, cursor.point);
            self.bytes.truncate(end);
            self.full.retain(|(number, _)| *number < len);
            (self.last, self.len) = (last, len);
        }
    }
}

/// A way through points, from one to a later one. Each is decoded once.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    points: &'a Points,
    /// The number of points that were decoded, and the position in `bytes` after them.
    next: usize,
    position: usize,
    /// The index of the next point that is stored in full.
    full: usize,
    point: Point,
}

impl<'a> Cursor<'a> {
    /// A way that begins at the last point up to this one that is stored in full.
    pub(super) fn before(points: &'a Points, number: usize) -> Cursor<'a> {
        let full = points.full.partition_point(|(first, _)| *first <= number).saturating_sub(1);
        let (next, position) = points.full[full];
        Cursor { points, next, position, full, point: Point::free(Vec::new()) }
    }

    /// The point with this number, which is not before the last one.
    pub fn go(&mut self, number: usize) -> &State {
        while self.next <= number {
            if self.points.full.get(self.full).is_some_and(|(full, _)| *full == self.next) {
                self.point.state.clear();
                self.full += 1;
            }
            self.position = self.points.apply(self.position, &mut self.point);
            self.next += 1;
        }
        &self.point.state
    }
}

impl Points {
    /// Applies the difference at a position. Returns the position after it.
    fn apply(&self, position: usize, point: &mut Point) -> usize {
        let mut rest = &self.bytes[position..];
        let flags = byte(&mut rest);
        point.control = (flags & CONTROLLED != 0).then(|| byte(&mut rest));
        if flags & RESIZED != 0 {
            point.state.resize(number(&mut rest), 0);
        }
        let mut at = 0;
        loop {
            let changed = number(&mut rest);
            if changed == 0 {
                return self.bytes.len() - rest.len();
            }
            at += number(&mut rest);
            let (bytes, after) = rest.split_at(changed);
            point.state[at..at + changed].copy_from_slice(bytes);
            at += changed;
            rest = after;
        }
    }
}

/// Appends the difference of a point to the state before.
fn append(out: &mut Vec<u8>, before: &State, point: &Point) {
    let Point { state: after, control } = point;
    let resized = before.len() != after.len();
    out.push(if control.is_some() { CONTROLLED } else { 0 } | if resized { RESIZED } else { 0 });
    out.extend(control);
    if resized {
        append_number(out, after.len());
    }
    let mut at = 0;
    while let Some(start) = next_change(before, after, at) {
        let mut end = start + 1;
        while let Some(more) = (end..after.len().min(end + GAP)).find(|i| is_changed(before, after, *i)) {
            end = more + 1;
        }
        append_number(out, end - start);
        append_number(out, start - at);
        out.extend_from_slice(&after[start..end]);
        at = end;
    }
    append_number(out, 0);
}

/// Bytes beyond the end of the state before count as zero.
fn is_changed(before: &State, after: &State, at: usize) -> bool {
    before.get(at).copied().unwrap_or(0) != after[at]
}

/// The first changed byte from a position on.
fn next_change(before: &State, after: &State, mut from: usize) -> Option<usize> {
    let common = before.len().min(after.len());
    while from < common {
        let end = common.min(from + BLOCK);
        if before[from..end] != after[from..end] {
            return (from..end).find(|i| before[*i] != after[*i]);
        }
        from = end;
    }
    after[from..].iter().position(|byte| *byte != 0).map(|at| from + at)
}

fn byte(bytes: &mut &[u8]) -> u8 {
    let (first, rest) = bytes.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    *bytes = rest;
    first
}

/// A number in groups of seven bits, the lowest first.
fn number(bytes: &mut &[u8]) -> usize {
    let (mut number, mut shift) = (0, 0);
    loop {
        let next = byte(bytes);
        number |= usize::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return number;
        }
        shift += 7;
    }
}

fn append_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Points of random lengths, some of which differ in a few bytes only.
    fn random_points(seed: u64, most: usize) -> Vec<Point> {
        let mut random = Random::new(seed);
        let mut point = Point::free(vec![7; random.below(most + 1)]);
        let mut points = vec![point.clone()];
        for _ in 0..3 * MOST {
            if random.percent(10) {
                point.state.resize(random.below(most + 1), random.below(2) as u8);
            }
            for _ in 0..random.below(4).min(point.state.len()) {
                let at = random.below(point.state.len());
                point.state[at] = random.below(256) as u8;
            }
            point.control = random.percent(20).then(|| random.below(256) as u8);
            points.push(point.clone());
        }
        points
    }

    #[test]
    fn points_come_back() {
        for (seed, most) in [0, 1, 20, 300].into_iter().enumerate() {
            let points = random_points(seed as u64, most);
            let mut stored = Points::new(&points[0]);
            points[1..].iter().for_each(|point| stored.push(point));
            assert_eq!(stored.len, points.len());
            assert!(points.iter().enumerate().all(|(n, point)| stored.point(n) == *point));
            let mut cursor = Cursor::before(&stored, 0);
            assert!(points.iter().enumerate().step_by(3).all(|(n, point)| *cursor.go(n) == point.state));
            let part = stored.part(1_000, 2_500);
            assert!((0..1_500).all(|n| part.point(n) == points[1_000 + n]) && part.len == 1_500);
            stored.truncate(2_000);
            stored.push(&points[0]);
            assert!((0..2_000).all(|n| stored.point(n) == points[n]) && stored.point(2_000) == points[0]);
        }
    }

    #[test]
    fn a_point_takes_few_bytes() {
        for len in [40, 100_000] {
            let mut point = Point::free(vec![1; len]);
            let mut points = Points::new(&point);
            for n in 0..MOST {
                point.state[n % 40] += 1;
                points.push(&point);
            }
            assert!(points.bytes.len() < 10 * MOST + 2 * len, "{len}: {}", points.bytes.len());
        }
    }
}
