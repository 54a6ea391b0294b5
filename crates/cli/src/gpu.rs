//! GPUs: `kripke gpu` shows the one that there is, and `kripke check --gpu` searches with it.

use std::path::PathBuf;

use kripke::accelerated::{Accelerators, Machines, PortableCode};
use kripke_gpu::cuda::{self, Cuda};
use kripke_gpu::device::{Device, Properties};
use kripke_gpu::emulation::{Emulated, Emulation};
use kripke_gpu::{Explorer, MOST_BITS, MemoryPlan, ModelText};
use kripke_report::number;
use kripke_search::Accelerator;

use crate::exit::{Failure, Status};
use crate::output;
use crate::ranks::Ranks;

/// The machines of this program.
pub const MACHINES: Machines<'static> = Machines { distributed: Some(&Ranks), accelerators: Some(&Gpus) };

/// The most instructions of a model's code. NVIDIA's compiler takes about a second for a thousand.
const MOST_INSTRUCTIONS: usize = 32_000;

/// A device is emulated with so many bytes if this environment variable has a number: for tests.
const EMULATION: &str = "KRIPKE_GPU_EMULATION";

/// The GPUs of this machine.
#[derive(Debug)]
pub struct Gpus;

impl Accelerators for Gpus {
    fn open(&self, code: &PortableCode, memory: Option<u64>, cycles: bool) -> Result<Box<dyn Accelerator>, String> {
        let model = ModelText { text: code.text.clone(), words: code.words, bits: code.bits, cycles };
        if code.instructions > MOST_INSTRUCTIONS {
            let (count, most) = (number::grouped(code.instructions as u64), number::grouped(MOST_INSTRUCTIONS as u64));
            return Err(format!(
                "its code has {count} instructions, which take long to compile for a GPU (at most {most})"
            ));
        }
        if model.bits > MOST_BITS {
            return Err(format!("a state has {} bits, and a GPU takes {MOST_BITS} at most", model.bits));
        }
        if let Some(bytes) = std::env::var(EMULATION).ok().and_then(|bytes| bytes.parse().ok()) {
            let emulated = Emulated { memory: bytes, ..Emulated::default() };
            let directory = std::env::temp_dir().join(format!("kripke-device-{}", std::process::id()));
            return with(Emulation::start(&model, emulated, &directory).map_err(|e| e.to_string())?, &model, memory);
        }
        with(Cuda::open(&model, cache().as_deref()).map_err(|e| e.to_string())?, &model, memory)
    }
}

/// A search on a device with at most so much of its free memory.
fn with<D: Device + 'static>(
    device: D,
    model: &ModelText,
    memory: Option<u64>,
) -> Result<Box<dyn Accelerator>, String> {
    let free = device.properties().free;
    let explorer = Explorer::new(device, model, memory.map_or(free, |memory| memory.min(free)));
    Ok(Box::new(explorer.map_err(|e| e.to_string())?))
}

/// The directory of compiled kernels.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let directory = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
    Some(directory.join("kripke").join("kernels"))
}

/// Shows the GPU and what it can hold.
pub fn run() -> Result<Status, Failure> {
    let properties = cuda::properties().map_err(|e| Failure::BadInput(e.to_string()))?;
    let compiler = match cuda::compiler() {
        Ok((major, minor)) => format!("NVRTC {major}.{minor}"),
        Err(why) => why.to_string(),
    };
    output::print(&describe(&properties, &compiler));
    Ok(Status::Fine)
}

fn describe(properties: &Properties, compiler: &str) -> String {
    let Properties { name, free, memory, processors, capability: (major, minor), swaps_128_bits } = properties;
    let mut text = format!(
        "{name}\n  memory      {}, {} free\n  capability  {major}.{minor}, {processors} multiprocessors\n  compiler    {compiler}\n",
        number::bytes(*memory),
        number::bytes(*free),
    );
    for bits in [63, 127, MOST_BITS] {
        let model = ModelText { text: String::new(), words: bits.div_ceil(64) as usize, bits, cycles: false };
        if let Some(plan) = MemoryPlan::new(*free, &model, *swaps_128_bits) {
            let states = number::grouped(plan.most_states());
            text.push_str(&format!("  holds       {states} states of up to {bits} bits\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_described() {
        let properties = Properties {
            name: "A device".to_string(),
            free: 8 << 30,
            memory: 16 << 30,
            processors: 4,
            capability: (9, 0),
            swaps_128_bits: true,
        };
        let text = describe(&properties, "NVRTC 13.0");
        assert!(text.starts_with("A device\n") && text.contains("capability  9.0, 4 multiprocessors"), "{text}");
        assert_eq!(text.matches("holds").count(), 3, "{text}");
    }
}
