//! Where states in words have the locations of their processes.

use std::ops::Range;

use super::select::BitMask;

/// The processes of the states of one shape.
#[derive(Debug)]
pub(super) struct Shape<const N: usize> {
    /// The youngest first.
    pub sites: Vec<Site>,
    pub groups: Vec<Group<N>>,
    /// There are several processes in most groups.
    pub joins: bool,
}

/// Consecutive processes whose locations have few bits together. Where they are at given locations, one look into the table can
/// tell the moves of all of them.
#[derive(Debug)]
pub(super) struct Group<const N: usize> {
    pub sites: Range<usize>,
    /// The bits that tell the locations, and the position of the joint row where they are zero.
    pub locations: BitMask<N>,
    pub first: usize,
}

/// The row for the moves of all processes of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct JointRow(pub u32);

impl JointRow {
    pub const UNKNOWN: JointRow = JointRow(u32::MAX);
    /// There is none: their moves depend on too many bits together.
    pub const APART: JointRow = JointRow(u32::MAX - 1);
}

/// The most bits that tell the locations of the processes of a group.
const LOCATION_BITS: u32 = 12;

/// The place where states have the location of a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub word: usize,
    pub shift: u32,
    pub mask: u64,
    /// The row of the location whose bits are zero.
    pub first_row: usize,
    /// The location that these bits denote.
    pub least: u32,
    pub pid: usize,
    /// Its position among the sites.
    pub place: usize,
    /// The type of the process.
    pub process: u32,
}

impl Site {
    /// The location of a row.
    #[inline(always)]
    pub fn location(&self, row: usize) -> u32 {
        self.least.wrapping_add((row - self.first_row) as u32)
    }

    /// The bits that tell the location.
    pub fn location_bits<const N: usize>(&self) -> [u64; N] {
        let wide = u128::from(self.mask) << self.shift;
        std::array::from_fn(|i| match i.wrapping_sub(self.word) {
            0 => wide as u64,
            1 => (wide >> 64) as u64,
            _ => 0,
        })
    }

    /// The row of the location of the process.
    #[inline(always)]
    pub fn row<const N: usize>(&self, state: &[u64; N]) -> usize {
        let low = state[if N == 1 { 0 } else { self.word }] >> self.shift;
        // The bits may be in two words.
        let high = if N == 1 { 0 } else { state[(self.word + 1) % N] << 1 << (63 - self.shift) };
        self.first_row + ((low | high) & self.mask) as usize
    }
}

/// Groups of consecutive processes, with a place for the joint rows of each.
pub(super) fn groups<const N: usize>(sites: &[Site], joint: &mut Vec<JointRow>) -> Vec<Group<N>> {
    let mut groups: Vec<Group<N>> = Vec::new();
    let bits = |site: &Site| site.mask.count_ones();
    let mut first = 0;
    while first < sites.len() {
        let (mut end, mut width) = (first + 1, bits(&sites[first]));
        while end < sites.len() && width + bits(&sites[end]) <= LOCATION_BITS {
            width += bits(&sites[end]);
            end += 1;
        }
        let mut mask = [0; N];
        for site in &sites[first..end] {
            let wide = u128::from(site.mask) << site.shift;
            mask[site.word] |= wide as u64;
            if let Some(next) = mask.get_mut(site.word + 1) {
                *next |= (wide >> 64) as u64;
            }
        }
        groups.push(Group { sites: first..end, locations: BitMask::new(mask), first: joint.len() });
        joint.resize(joint.len() + (1 << width), JointRow::UNKNOWN);
        first = end;
    }
    groups
}
