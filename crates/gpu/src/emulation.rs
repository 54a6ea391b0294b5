//! A device that a process of this machine emulates: the kernels, compiled by a C++ compiler, on one thread.
//!
//! It executes the text that a GPU executes, so table, kernels and explorer are tested where there is no GPU. It is no faster than the
//! processor.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::device::{Address, Device, DeviceError, Kernel, Parameters, Properties};
use crate::source::ModelText;

/// An emulated device.
#[derive(Debug)]
pub struct Emulation {
    child: Child,
    commands: Option<ChildStdin>,
    answers: ChildStdout,
    properties: Properties,
    /// The parts of the memory that were taken: addresses and bytes.
    taken: Vec<(Address, u64)>,
    directory: PathBuf,
}

/// What is emulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Emulated {
    /// Bytes of memory.
    pub memory: u64,
    /// Whether the device compares and swaps 128 bits.
    pub swaps_128_bits: bool,
}

impl Default for Emulated {
    fn default() -> Emulated {
        Emulated { memory: 256 << 20, swaps_128_bits: true }
    }
}

/// The name of the C++ compiler.
pub const COMPILER: &str = "g++";

/// Whether there is a C++ compiler.
pub fn has_compiler() -> bool {
    let status = Command::new(COMPILER).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

impl Emulation {
    /// Compiles the kernels for a model and starts the device. Files are written into this directory, which has to be a new one; it is removed
    /// with the device.
    pub fn start(model: &ModelText, emulated: Emulated, directory: &Path) -> Result<Emulation, DeviceError> {
        let failed = |what: &str, e: io::Error| DeviceError::Failed(format!("{what}: {e}"));
        std::fs::create_dir_all(directory).map_err(|e| failed("the directory of an emulated device", e))?;
        let program = compile(model, emulated.swaps_128_bits, directory)?;
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| failed("the emulated device does not start", e))?;
        let (Some(commands), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(DeviceError::Failed("the emulated device has no pipes".to_string()));
        };
        let properties = Properties {
            name: "emulated device".to_string(),
            free: emulated.memory,
            memory: emulated.memory,
            processors: 1,
            capability: (9, 0),
            swaps_128_bits: emulated.swaps_128_bits,
        };
        let directory = directory.to_path_buf();
        let mut device =
            Emulation { child, commands: Some(commands), answers, properties, taken: Vec::new(), directory };
        device.send(&[5])?;
        match device.answer()? as usize {
            size if size == size_of::<Parameters>() => Ok(device),
            size => Err(DeviceError::Failed(format!("the parameters of kernels have {size} bytes"))),
        }
    }

    /// Ends the process in the middle of its work, as a device that is lost.
    pub fn lose(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn send(&mut self, words: &[u64]) -> Result<(), DeviceError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.commands.as_mut().map_or(Ok(()), |commands| commands.write_all(&bytes)).map_err(lost)
    }

    fn answer(&mut self) -> Result<u64, DeviceError> {
        let mut words = [0];
        self.receive(&mut words)?;
        Ok(words[0])
    }

    fn receive(&mut self, words: &mut [u64]) -> Result<(), DeviceError> {
        if let Some(commands) = &mut self.commands {
            commands.flush().map_err(lost)?;
        }
        let mut bytes = vec![0; 8 * words.len()];
        self.answers.read_exact(&mut bytes).map_err(lost)?;
        let read = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        words.iter_mut().zip(read).for_each(|(word, read)| *word = read);
        Ok(())
    }
}

fn lost(e: io::Error) -> DeviceError {
    DeviceError::Failed(format!("the emulated device has gone: {e}"))
}

/// Compiles the program that emulates a device.
fn compile(model: &ModelText, swaps_128_bits: bool, directory: &Path) -> Result<PathBuf, DeviceError> {
    let (source, program) = (directory.join("device.cpp"), directory.join("device"));
    let failed = |e: io::Error| DeviceError::Failed(format!("{COMPILER}: {e}"));
    std::fs::write(&source, model.for_emulation(swaps_128_bits)).map_err(failed)?;
    let options = ["-std=c++17", "-O1", "-w", "-o"];
    let output = Command::new(COMPILER).args(options).arg(&program).arg(&source).output().map_err(failed)?;
    match output.status.success() {
        true => Ok(program),
        false => Err(DeviceError::Failed(format!("{COMPILER}: {}", String::from_utf8_lossy(&output.stderr)))),
    }
}

impl Device for Emulation {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        if self.taken.iter().map(|(_, bytes)| bytes).sum::<u64>() + bytes > self.properties.free {
            return Err(DeviceError::OutOfMemory(bytes));
        }
        self.send(&[0, bytes])?;
        let address = self.answer()?;
        self.taken.push((address, bytes));
        Ok(address)
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.taken.retain(|(address, _)| *address != at);
        self.send(&[6, at])
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        self.send(&[7, from, to, bytes])
    }

    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), DeviceError> {
        self.send(&[1, at, bytes])
    }

    fn write(&mut self, at: Address, words: &[u64]) -> Result<(), DeviceError> {
        self.send(&[2, at, 8 * words.len() as u64])?;
        self.send(words)
    }

    fn read(&mut self, at: Address, words: &mut [u64]) -> Result<(), DeviceError> {
        self.send(&[3, at, 8 * words.len() as u64])?;
        self.receive(words)
    }

    fn launch(&mut self, kernel: Kernel, items: u64, parameters: &Parameters) -> Result<(), DeviceError> {
        // Several blocks, so that the loops of kernels over blocks are executed. Blocks that wait for each other can't run one after the other.
        let most = if parameters.most_levels > 1 { 1 } else { 7 };
        self.send(&[4, kernel as u64, items.clamp(1, most)])?;
        self.send(&parameters.words())
    }
}

impl Drop for Emulation {
    fn drop(&mut self) {
        // The process ends with its input.
        drop(self.commands.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
