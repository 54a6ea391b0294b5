//! Messages that are on their way. MPI reads or writes their bytes until it says that it has sent or received them.
//!
//! Receiving does not wait: the rest of a long message never arrives if its sender is lost.
#![allow(unsafe_code)]

use mpi::ffi;
use mpi::raw::{AsRaw, AsRawMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::Frame;

/// A message that MPI has not sent completely yet.
pub(super) struct Pending {
    request: ffi::MPI_Request,
    /// The bytes that MPI reads. They neither move nor change while the message is pending.
    frame: Option<Frame>,
}

impl Pending {
    /// Begins to send a frame.
    pub fn send(world: &SimpleCommunicator, to: usize, tag: i32, frame: Frame) -> Result<Pending, &'static str> {
        let (Ok(to), Ok(length)) = (i32::try_from(to), i32::try_from(frame.len())) else {
            return Err("a frame is longer than MPI allows");
        };
        // SAFETY: a handle that MPI sets before anyone reads it.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the frame has that many bytes. `Pending` owns it until the request is complete, and leaks it if it never is.
        let code = unsafe {
            ffi::MPI_Isend(frame.as_ptr().cast(), length, ffi::RSMPI_UINT8_T, to, tag, world.as_raw(), &mut request)
        };
        match code {
            0 => Ok(Pending { request, frame: Some(frame) }),
            _ => Err("MPI has refused a message"),
        }
    }

    /// Whether MPI has sent the message.
    pub fn is_sent(&mut self) -> bool {
        if self.frame.is_none() {
            return true;
        }
        let sent = is_complete(&mut self.request);
        if sent {
            self.frame = None;
        }
        sent
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // MPI may still read the bytes.
        if let Some(frame) = self.frame.take() {
            std::mem::forget(frame);
        }
    }
}

/// Whether MPI has completed a request that it had not before.
fn is_complete(request: &mut ffi::MPI_Request) -> bool {
    let mut flag = 0;
    // SAFETY: the request was made by MPI and is not complete; MPI sets the flag.
    let code = unsafe { ffi::MPI_Test(request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
    code == 0 && flag != 0
}

/// A message that MPI has not received completely yet.
pub(super) struct Arriving {
    request: ffi::MPI_Request,
    /// The memory that MPI writes. It does not move while the message is arriving.
    bytes: Option<Vec<u8>>,
    /// The sender.
    pub from: usize,
    /// The tag.
    pub tag: i32,
}

impl Arriving {
    /// Begins to receive a message, if there is one.
    pub fn receive(world: &SimpleCommunicator) -> Option<Result<Arriving, &'static str>> {
        let (mut message, status) = world.any_process().immediate_matched_probe()?;
        let length = status.count(u8::equivalent_datatype());
        let (from, tag) = (status.source_rank() as usize, status.tag());
        let mut bytes = vec![0; length as usize];
        // SAFETY: a handle that MPI sets before anyone reads it.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the memory has that many bytes. `Arriving` owns it until the request is complete, and leaks it if it never is.
        let code = unsafe {
            ffi::MPI_Imrecv(bytes.as_mut_ptr().cast(), length, ffi::RSMPI_UINT8_T, message.as_raw_mut(), &mut request)
        };
        Some(match code {
            0 => Ok(Arriving { request, bytes: Some(bytes), from, tag }),
            _ => Err("MPI could not receive a message"),
        })
    }

    /// The bytes of the message, once MPI has received it.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        if self.bytes.is_some() && is_complete(&mut self.request) { self.bytes.take() } else { None }
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        // MPI may still write to the memory.
        if let Some(bytes) = self.bytes.take() {
            std::mem::forget(bytes);
        }
    }
}
