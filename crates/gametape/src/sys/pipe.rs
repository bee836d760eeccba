//! Named pipes of Windows for communication between gametape processes: one client at a time, with timeouts.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{ERROR_PIPE_BUSY, ERROR_PIPE_CONNECTED, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_FIRST_PIPE_INSTANCE, PIPE_ACCESS_DUPLEX, SECURITY_IDENTIFICATION,
};
use windows_sys::Win32::System::Pipes::{
    ConnectNamedPipe, CreateNamedPipeW, DisconnectNamedPipe, PIPE_READMODE_BYTE, PIPE_REJECT_REMOTE_CLIENTS,
    PIPE_TYPE_BYTE, PIPE_WAIT, PeekNamedPipe,
};

use super::windows_object::wide;

/// Size of the buffers: a request or a response fits, so that writing does not block.
const BUFFER_BYTES: u32 = 8192;
const NAP: Duration = Duration::from_millis(5);

fn path_of(name: &str) -> String {
    format!(r"\\.\pipe\{name}")
}

/// The server side of a pipe.
#[derive(Debug)]
pub struct PipeServer(File);

impl PipeServer {
    /// Creates a pipe. Fails if one with that name exists.
    pub fn create(name: &str) -> io::Result<Self> {
        let path = wide(&path_of(name));
        let open = PIPE_ACCESS_DUPLEX | FILE_FLAG_FIRST_PIPE_INSTANCE;
        let mode = PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS;
        // SAFETY: the path is null-terminated, and no attributes are given.
        let pipe = unsafe { CreateNamedPipeW(path.as_ptr(), open, mode, 1, BUFFER_BYTES, BUFFER_BYTES, 0, null()) };
        if pipe == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is a valid handle with no other owner.
        Ok(Self(File::from(unsafe { OwnedHandle::from_raw_handle(pipe) })))
    }

    /// Waits for a client. Each read from it times out after `patience`.
    pub fn accept(&self, patience: Duration) -> io::Result<PipeClient<'_>> {
        // SAFETY: the handle is that of a pipe, and the call is synchronous.
        if unsafe { ConnectNamedPipe(self.0.as_raw_handle(), null_mut()) } == 0 {
            let error = io::Error::last_os_error();
            // The client connected before the call.
            if error.raw_os_error() != Some(ERROR_PIPE_CONNECTED.cast_signed()) {
                self.disconnect();
                return Err(error);
            }
        }
        Ok(PipeClient { server: self, patience })
    }

    fn disconnect(&self) {
        // SAFETY: the handle is that of a pipe. An error means that no client is connected, and is ignored.
        unsafe { DisconnectNamedPipe(self.0.as_raw_handle()) };
    }
}

/// A connected client. Dropping it disconnects.
#[derive(Debug)]
pub struct PipeClient<'a> {
    server: &'a PipeServer,
    patience: Duration,
}

impl PipeClient<'_> {
    /// Waits until the client has closed its end: disconnecting would discard what it has not read.
    pub fn wait_until_read(&mut self) {
        // Half of it, because other clients that wait do not have more patience than that.
        let until = Instant::now() + self.patience / 2;
        while Instant::now() < until && waiting_bytes(&self.server.0).is_ok() {
            std::thread::sleep(NAP);
        }
    }
}

impl Drop for PipeClient<'_> {
    fn drop(&mut self) {
        self.server.disconnect();
    }
}

impl Read for PipeClient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_within(&self.server.0, self.patience, buffer)
    }
}

impl Write for PipeClient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.server.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The client side of a pipe.
#[derive(Debug)]
pub struct PipeStream {
    file: File,
    patience: Duration,
}

impl PipeStream {
    /// Opens a pipe. Waits up to `patience` while it is busy with another client; each read times out after `patience`.
    pub fn open(name: &str, patience: Duration) -> io::Result<Self> {
        let until = Instant::now() + patience;
        loop {
            // The server must not be able to impersonate this process.
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .security_qos_flags(SECURITY_IDENTIFICATION)
                .open(path_of(name));
            match opened {
                Ok(file) => return Ok(Self { file, patience }),
                Err(error) if is_busy(&error) && Instant::now() < until => std::thread::sleep(NAP),
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed())
}

impl Read for PipeStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_within(&self.file, self.patience, buffer)
    }
}

impl Write for PipeStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the number of bytes that can be read without blocking. Fails if the other side has closed the pipe.
fn waiting_bytes(pipe: &File) -> io::Result<u32> {
    let mut bytes = 0;
    let handle = pipe.as_raw_handle();
    // SAFETY: the handle is that of a pipe; only the number is requested.
    match unsafe { PeekNamedPipe(handle, null_mut(), 0, null_mut(), &raw mut bytes, null_mut()) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(bytes),
    }
}

/// Reads with a timeout: a read of a pipe would block forever.
fn read_within(mut pipe: &File, patience: Duration, buffer: &mut [u8]) -> io::Result<usize> {
    let until = Instant::now() + patience;
    loop {
        match waiting_bytes(pipe) {
            Ok(0) if Instant::now() < until => std::thread::sleep(NAP),
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return pipe.read(buffer),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
            Err(error) => return Err(error),
        }
    }
}
