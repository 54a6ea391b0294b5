//! A device as the explorer sees it: memory, and kernels that run on it.

use std::fmt;

/// A device that runs the kernels for one model.
pub trait Device {
    /// What is known about the device.
    fn properties(&self) -> &Properties;

    /// Takes so much memory, besides what was taken before. Its content is arbitrary. The address is divisible by 256.
    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError>;

    /// Gives memory back that was taken.
    fn free(&mut self, at: Address) -> Result<(), DeviceError>;

    /// Sets memory to 0.
    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), DeviceError>;

    /// Writes words.
    fn write(&mut self, at: Address, words: &[u64]) -> Result<(), DeviceError>;

    /// Copies bytes from one part of the memory to another.
    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError>;

    /// Reads words, after all kernels launched before have ended.
    fn read(&mut self, at: Address, words: &mut [u64]) -> Result<(), DeviceError>;

    /// Starts a kernel with enough blocks for so many items, or as many as run at a time. Kernels run one after the other. The blocks of one
    /// for several levels wait for each other.
    fn launch(&mut self, kernel: Kernel, items: u64, parameters: &Parameters) -> Result<(), DeviceError>;
}

/// An address in the memory of a device.
pub type Address = u64;

/// What is known about a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Properties {
    /// The name of the device.
    pub name: String,
    /// Bytes of memory that no program uses.
    pub free: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// The number of multiprocessors.
    pub processors: u32,
    /// The compute capability, major and minor number.
    pub capability: (u32, u32),
    /// Whether the table of 16-byte keys is one: the device compares and swaps 128 bits.
    pub swaps_128_bits: bool,
}

/// A call to a device that failed, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// The device does not have so much memory.
    OutOfMemory(u64),
    /// Another failure.
    Failed(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::OutOfMemory(bytes) => write!(f, "the device does not have {bytes} bytes of memory"),
            DeviceError::Failed(how) => f.write_str(how),
        }
    }
}

impl std::error::Error for DeviceError {}

/// The kernels, in the order of the table in `kernel/emulation.cpp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// Expands states, for one of several [purposes](Purpose).
    ExpandStates,
    /// Inserts states of the host.
    AddGiven,
    /// Moves keys to a larger table.
    MoveKeys,
    /// Tells states of the host. It and the following one are those of a search for cycles.
    TellGiven,
    /// Begins a step at all places, or counts places.
    ScanPlaces,
}

impl Kernel {
    /// The kernels of every search, in order.
    pub const OF_ALL: [Kernel; 3] = [Kernel::ExpandStates, Kernel::AddGiven, Kernel::MoveKeys];

    /// The other kernels of a search for cycles, in order.
    pub const OF_CYCLES: [Kernel; 2] = [Kernel::TellGiven, Kernel::ScanPlaces];

    /// The name of the function.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::ExpandStates => "expand_states",
            Kernel::AddGiven => "add_given",
            Kernel::MoveKeys => "move_keys",
            Kernel::TellGiven => "tell_given",
            Kernel::ScanPlaces => "scan_places",
        }
    }
}

/// For what states are expanded: the numbers of `kernel/table.cuh`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Purpose {
    /// New successors are the next level.
    Insert,
    /// States are listed that may have one of the given states as successor: those that are left to the host, those that have one, and
    /// perhaps others.
    Compare,
    /// Successors of queued places are told.
    Tell,
}

/// The parameters of a launch: `struct Parameters` of `kernel/table.cuh`, word by word.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Parameters {
    /// The table: buckets of four words.
    pub table: Address,
    /// The number of buckets.
    pub buckets: u64,
    /// The ring of the keys of the levels.
    pub ring: Address,
    /// The number of keys in the ring.
    pub ring_size: u64,
    /// The position of the first key of the level that is expanded.
    pub in_begin: u64,
    /// The number of these keys.
    pub in_count: u64,
    /// The position of the first key of the next level.
    pub out_begin: u64,
    /// The number of keys that the ring has room for.
    pub out_room: u64,
    /// The counters.
    pub counters: Address,
    /// The list of states that are left to the host.
    pub left: Address,
    /// The number of keys that it has room for.
    pub left_room: u64,
    /// States that the host gives.
    pub given: Address,
    /// The number of these.
    pub given_count: u64,
    /// The number of passes over a level.
    pub passes: u64,
    /// The number of this pass.
    pub pass: u64,
    /// The marks of places, in a search for cycles.
    pub marks: Address,
    /// Queued places.
    pub queue: Address,
    /// The list of places that are queued meanwhile.
    pub queued: Address,
    /// The number of places that it has room for.
    pub queue_room: u64,
    /// The number of places that may have a key.
    pub places: u64,
    /// What a successor is told, or what a scan does: see `kernel/places.cuh`.
    pub step: u64,
    /// The place of the state from which a cycle is searched.
    pub target: u64,
    /// For what states are expanded: see [`Purpose`].
    pub purpose: u64,
    /// The most levels of a launch that expands several. Its blocks wait for each other.
    pub most_levels: u64,
    /// What is told about these levels: see `kernel/levels.cuh` and `kernel/trace.cuh`.
    pub sizes: Address,
    /// Such a launch ends before a level with more places.
    pub most_places: u64,
    /// It ends before a level with fewer places.
    pub least_places: u64,
    /// It ends before a level after which that many keys may have been appended.
    pub most_appended: u64,
    /// Whether invalid end states are counted instead of left.
    pub counts_ends: u64,
    /// The slots of the table before it grew.
    pub from: Address,
    /// Their number, or that of the keys in the ring if the table refers to them.
    pub from_count: u64,
}

impl Parameters {
    /// The number of words.
    pub const WORDS: usize = size_of::<Parameters>() / 8;

    /// The parameters as words, in order.
    pub fn words(&self) -> [u64; Parameters::WORDS] {
        [
            self.table,
            self.buckets,
            self.ring,
            self.ring_size,
            self.in_begin,
            self.in_count,
            self.out_begin,
            self.out_room,
            self.counters,
            self.left,
            self.left_room,
            self.given,
            self.given_count,
            self.passes,
            self.pass,
            self.marks,
            self.queue,
            self.queued,
            self.queue_room,
            self.places,
            self.step,
            self.target,
            self.purpose,
            self.most_levels,
            self.sizes,
            self.most_places,
            self.least_places,
            self.most_appended,
            self.counts_ends,
            self.from,
            self.from_count,
        ]
    }
}
