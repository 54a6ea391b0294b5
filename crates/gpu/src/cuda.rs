//! NVIDIA GPUs: the driver, and the compiler for kernels. Both are loaded when they are used.
//!
//! The only module with `unsafe`: every call of the driver is one, since it takes addresses and handles as numbers.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUfunction, CUfunction_attribute, CUmodule, CUresult};
use cudarc::driver::{DriverError, result, sys};
use cudarc::nvrtc;

use crate::cache;
use crate::device::{Address, Device, DeviceError, Kernel, Parameters, Properties};
use crate::source::ModelText;

/// The threads of a block, as in `kernel/device.cuh`.
const THREADS: u64 = 256;

/// The least number of items for a block: a part of its threads that executes the same instructions.
const WARP: u64 = 32;

/// The least compute capability: threads of a warp go on independently.
const LEAST_CAPABILITY: u32 = 7;

/// The least version of NVRTC: it takes kernels whose parameters are constants of the grid.
const LEAST_COMPILER: (u32, u32) = (11, 7);

/// The least version of NVRTC that compiles comparing and swapping 128 bits, and the least major number of a capability that has it.
const SWAPPING_COMPILER: (u32, u32) = (12, 3);
const SWAPPING_CAPABILITY: u32 = 9;

/// Memory that is left to the driver, besides that for local variables.
const RESERVE: u64 = 768 << 20;

/// The first GPU, with the kernels for one model.
#[derive(Debug)]
pub struct Cuda {
    device: c_int,
    module: CUmodule,
    /// The kernels, each with the most blocks that run at a time.
    kernels: Vec<(CUfunction, u32)>,
    allocated: Vec<Address>,
    properties: Properties,
}

/// The memory and the kernels of searches that have ended. To give much memory back takes longer than many searches, so that is left to the next
/// search, which needs it, or to the end of the process.
static ENDED: Mutex<Ended> = Mutex::new(Ended { allocated: Vec::new(), modules: Vec::new() });

struct Ended {
    allocated: Vec<Address>,
    /// Handles of modules.
    modules: Vec<usize>,
}

impl Ended {
    /// Gives everything back. Errors don't matter: the device may be lost.
    fn release() {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        for address in ended.allocated.drain(..) {
            // SAFETY: the memory was taken, and no kernel uses it any more.
            let _ = unsafe { result::free_sync(address) };
        }
        for module in ended.modules.drain(..) {
            // SAFETY: the module was loaded, and is given back once.
            let _ = unsafe { result::module::unload(module as CUmodule) };
        }
    }
}

/// Why there is no GPU to use, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoDevice(pub String);

impl std::fmt::Display for NoDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoDevice {}

/// A GPU without kernels: its context is current in this thread. The context stays until the process ends: to
/// give it back would take longer than many searches.
struct Opened {
    device: c_int,
    properties: Properties,
}

/// What is known about the first GPU.
pub fn properties() -> Result<Properties, NoDevice> {
    open().map(|opened| opened.properties)
}

/// The version of the compiler for kernels, or why there is none to use.
pub fn compiler() -> Result<(u32, u32), NoDevice> {
    // SAFETY: it loads a library, whose initialisers do nothing but what every user of it does.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        let text = "NVRTC, the compiler for kernels, is not installed or not found (libnvrtc.so): see LD_LIBRARY_PATH";
        return Err(NoDevice(text.to_string()));
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both numbers outlive the call.
    let called = unsafe { nvrtc::sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    called.result().map_err(|e| NoDevice(format!("NVRTC does not work: {e}")))?;
    check_compiler((major.unsigned_abs(), minor.unsigned_abs()))
}

/// The version, unless it is too old. Functions that are called later may be missing there.
fn check_compiler(version: (u32, u32)) -> Result<(u32, u32), NoDevice> {
    let ((major, minor), (least_major, least_minor)) = (version, LEAST_COMPILER);
    match version >= LEAST_COMPILER {
        true => Ok(version),
        false => Err(NoDevice(format!(
            "NVRTC {major}.{minor} is too old: {least_major}.{least_minor} is the least (see LD_LIBRARY_PATH)"
        ))),
    }
}

fn open() -> Result<Opened, NoDevice> {
    // SAFETY: it loads a library, whose initialisers do nothing but what every user of it does.
    if !unsafe { sys::is_culib_present() } {
        return Err(NoDevice("no NVIDIA driver is installed (libcuda.so)".to_string()));
    }
    let failed = |what: &'static str| move |e: DriverError| NoDevice(format!("{what}: {}", text_of(e)));
    result::init().map_err(failed("the NVIDIA driver does not start"))?;
    let device = result::device::get(0).map_err(failed("there is no GPU"))?;
    // SAFETY: the device is one that the driver has given.
    let context: CUcontext = unsafe { result::primary_ctx::retain(device) }.map_err(failed("the GPU can't be used"))?;
    // SAFETY: the context was retained.
    unsafe { result::ctx::set_current(context) }.map_err(failed("the GPU can't be used"))?;
    Ended::release();
    let properties = inspect(device).map_err(failed("the GPU does not answer"))?;
    let (major, minor) = properties.capability;
    match major >= LEAST_CAPABILITY {
        true => Ok(Opened { device, properties }),
        false => {
            Err(NoDevice(format!("{} has compute capability {major}.{minor}, and 7.0 is the least", properties.name)))
        }
    }
}

fn inspect(device: c_int) -> Result<Properties, DriverError> {
    use CUdevice_attribute as Attribute;
    // SAFETY: the device is one that the driver has given.
    let attribute = |which: Attribute| unsafe { result::device::get_attribute(device, which) }.map(i32::unsigned_abs);
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let (free, memory) = result::mem_get_info()?;
    Ok(Properties {
        name: result::device::get_name(device)?,
        free: (free as u64).saturating_sub(RESERVE),
        memory: memory as u64,
        processors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        capability: (major, minor),
        swaps_128_bits: swaps_128_bits(major, compiler().ok()),
    })
}

/// Whether kernels can compare and swap 128 bits. A compiler that is not known is no obstacle: there are no kernels without one.
fn swaps_128_bits(capability: u32, compiler: Option<(u32, u32)>) -> bool {
    capability >= SWAPPING_CAPABILITY && compiler.is_none_or(|version| version >= SWAPPING_COMPILER)
}

/// Bytes that the driver takes for the local variables of kernels when it launches them: a share, of so many bytes and some for calls, for each
/// thread that the multiprocessors can run at a time.
fn local_pool(bytes: u64, threads: u64) -> u64 {
    (bytes + 512).next_multiple_of(256) * threads
}

fn text_of(error: DriverError) -> String {
    let name = error.error_name().map_or_else(|_| format!("{:?}", error.0), |name| name.to_string_lossy().into_owned());
    match error.error_string() {
        Ok(text) => format!("{} ({name})", text.to_string_lossy()),
        Err(_) => name,
    }
}

fn failed(error: DriverError) -> DeviceError {
    DeviceError::Failed(format!("the GPU failed: {}", text_of(error)))
}

impl Cuda {
    /// Opens the first GPU and compiles the kernels for a model, or takes them from the cache.
    pub fn open(model: &ModelText, cache: Option<&Path>) -> Result<Cuda, NoDevice> {
        let Opened { device, properties } = open()?;
        let mut cuda =
            Cuda { device, module: std::ptr::null_mut(), kernels: Vec::new(), allocated: Vec::new(), properties };
        cuda.load(model, cache)?;
        Ok(cuda)
    }

    fn load(&mut self, model: &ModelText, cache: Option<&Path>) -> Result<(), NoDevice> {
        let (major, minor) = self.properties.capability;
        let options = [format!("--gpu-architecture=sm_{major}{minor}"), "--std=c++17".to_string(), "-w".to_string()];
        let source = model.for_device(self.properties.swaps_128_bits);
        let version = compiler()?;
        let key = format!("{options:?} {version:?}\n{source}");
        let image = cache::get_or_make(cache, &key, || compile(&source, &options))?;
        let failed = |e: DriverError| NoDevice(format!("the driver does not take the kernels: {}", text_of(e)));
        // SAFETY: the image is a complete object file; the driver copies it.
        self.module = unsafe { result::module::load_data(image.as_ptr().cast()) }.map_err(failed)?;
        let of_cycles = if model.cycles { &Kernel::OF_CYCLES[..] } else { &[] };
        for kernel in Kernel::OF_ALL.iter().chain(of_cycles) {
            let name = CString::new(kernel.name()).map_err(|e| NoDevice(e.to_string()))?;
            // SAFETY: the module was loaded.
            let function = unsafe { result::module::get_function(self.module, name) }.map_err(failed)?;
            self.kernels.push((function, self.most_blocks(function).map_err(failed)?));
        }
        let local = self.local_memory().map_err(failed)?;
        self.properties.free = self.properties.free.saturating_sub(local);
        Ok(())
    }

    /// Bytes that the driver takes for the local variables of the kernels.
    fn local_memory(&self) -> Result<u64, DriverError> {
        let bytes = CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        let threads = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR;
        let mut most = 0;
        for (function, _) in &self.kernels {
            // SAFETY: the function is one of the module.
            most = most.max(unsafe { result::function::get_function_attribute(*function, bytes) }?.unsigned_abs());
        }
        // SAFETY: the device is one that the driver has given.
        let threads = unsafe { result::device::get_attribute(self.device, threads) }?.unsigned_abs();
        Ok(local_pool(most.into(), u64::from(threads) * u64::from(self.properties.processors)))
    }

    /// The number of blocks of a kernel that all multiprocessors run at a time.
    fn most_blocks(&self, function: CUfunction) -> Result<u32, DriverError> {
        // SAFETY: the function is one of the module.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(function, THREADS as i32, 0) }?;
        Ok(blocks.unsigned_abs().max(1) * self.properties.processors)
    }
}

/// Compiles a text to an object file.
fn compile(source: &str, options: &[String]) -> Result<Vec<u8>, NoDevice> {
    let source = CString::new(source).map_err(|e| NoDevice(e.to_string()))?;
    let failed = |e: nvrtc::result::NvrtcError| NoDevice(format!("NVRTC: {e}"));
    let program = nvrtc::result::create_program(&source, None).map_err(failed)?;
    // SAFETY: the program was created, and is destroyed once, below.
    let compiled = unsafe { nvrtc::result::compile_program(program, options) };
    let image = match compiled {
        Ok(()) => object_file(program).map_err(failed),
        Err(e) => {
            // SAFETY: as above.
            let log = unsafe { nvrtc::result::get_program_log(program) }.unwrap_or_default();
            let log: Vec<u8> = log.iter().map(|c| c.cast_unsigned()).filter(|byte| *byte != 0).collect();
            Err(NoDevice(format!("the kernels can't be compiled: {e}\n{}", String::from_utf8_lossy(&log))))
        }
    };
    // SAFETY: as above.
    unsafe { nvrtc::result::destroy_program(program) }.map_err(failed)?;
    image
}

fn object_file(program: nvrtc::sys::nvrtcProgram) -> Result<Vec<u8>, nvrtc::result::NvrtcError> {
    let mut size = 0;
    // SAFETY: the program was compiled, and the number outlives the call.
    unsafe { nvrtc::sys::nvrtcGetCUBINSize(program, &raw mut size) }.result()?;
    let mut image = vec![0_u8; size];
    // SAFETY: the buffer has the size that the compiler has asked for.
    unsafe { nvrtc::sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast::<c_char>()) }.result()?;
    Ok(image)
}

impl Device for Cuda {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, DeviceError> {
        let size = usize::try_from(bytes).map_err(|_| DeviceError::OutOfMemory(bytes))?;
        // SAFETY: the memory is freed once.
        let address = unsafe { result::malloc_sync(size) }.map_err(|e| match e.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => DeviceError::OutOfMemory(bytes),
            _ => failed(e),
        })?;
        self.allocated.push(address);
        Ok(address)
    }

    fn free(&mut self, at: Address) -> Result<(), DeviceError> {
        self.allocated.retain(|address| *address != at);
        // SAFETY: the memory was taken, and the explorer does not use it any more. The call waits for kernels that do.
        unsafe { result::free_sync(at) }.map_err(failed)
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the explorer copies between parts of memory that it has allocated. Calls of the null stream are executed in order.
        unsafe { result::memcpy_dtod_async(to, from, bytes as usize, std::ptr::null_mut()) }.map_err(failed)
    }

    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the explorer clears memory that it has allocated. Calls of the null stream are executed in order.
        unsafe { result::memset_d8_async(at, 0, bytes as usize, std::ptr::null_mut()) }.map_err(failed)
    }

    fn write(&mut self, at: Address, words: &[u64]) -> Result<(), DeviceError> {
        // SAFETY: the explorer writes to memory that it has allocated. The call returns when the words were read.
        unsafe { result::memcpy_htod_sync(at, words) }.map_err(failed)
    }

    fn read(&mut self, at: Address, words: &mut [u64]) -> Result<(), DeviceError> {
        if words.is_empty() {
            return Ok(());
        }
        // SAFETY: the explorer reads memory that it has allocated. The call waits for the kernels before it.
        unsafe { result::memcpy_dtoh_sync(words, at) }.map_err(failed)
    }

    fn launch(&mut self, kernel: Kernel, items: u64, parameters: &Parameters) -> Result<(), DeviceError> {
        let (function, most) = self.kernels[kernel as usize];
        let blocks = items.div_ceil(WARP).clamp(1, most.into()) as u32;
        let mut parameters = *parameters;
        let waits = parameters.most_levels > 1;
        let mut pointers = [(&raw mut parameters).cast::<c_void>()];
        let (grid, block, stream) = ((blocks, 1, 1), (THREADS as u32, 1, 1), std::ptr::null_mut());
        // SAFETY: the kernel has one parameter, a structure of this layout, which the driver copies; its addresses are those of the
        // explorer's memory.
        let launched = unsafe {
            match waits {
                true => result::launch_cooperative_kernel(function, grid, block, 0, stream, &mut pointers),
                false => result::launch_kernel(function, grid, block, 0, stream, &mut pointers),
            }
        };
        launched.map_err(failed)
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        ended.allocated.append(&mut self.allocated);
        ended.modules.extend((!self.module.is_null()).then_some(self.module as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_compilers_are_refused() {
        assert_eq!(check_compiler((11, 7)), Ok((11, 7)));
        assert_eq!(check_compiler((13, 0)), Ok((13, 0)));
        let refused = check_compiler((11, 2)).map_err(|why| why.to_string());
        assert_eq!(refused, Err("NVRTC 11.2 is too old: 11.7 is the least (see LD_LIBRARY_PATH)".to_string()));
    }

    #[test]
    fn swaps_of_128_bits_need_device_and_compiler() {
        assert!(swaps_128_bits(9, Some((12, 3))) && swaps_128_bits(10, Some((13, 0))) && swaps_128_bits(9, None));
        assert!(!swaps_128_bits(9, Some((12, 2))) && !swaps_128_bits(8, Some((13, 0))));
    }

    #[test]
    fn local_variables_have_memory_for_all_threads() {
        assert_eq!(local_pool(0, 1), 512);
        assert_eq!(local_pool(3000, 2048 * 132), 3584 * 2048 * 132);
    }
}
