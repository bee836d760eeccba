//! A process that only receives the flood, as cheaply as the system allows: no recorder on this machine can cost less.

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// The cost of receiving.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Bare {
    pub(crate) datagrams: u64,
    pub(crate) processor_ns: u64,
}

/// Prints the address, receives until standard input ends and nothing more comes, and prints the cost.
#[cfg(target_os = "linux")]
pub(crate) fn run() -> Result<()> {
    use std::io::{IoSliceMut, Write as _};
    use std::net::UdpSocket;
    use std::os::fd::AsRawFd as _;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, setsockopt, sockopt};

    use crate::live::system::processor_ns;

    // As many at once as the recorder, into buffers and from a system's buffer of the same size.
    const AT_ONCE: usize = 32;
    const MOST_BYTES: usize = 1 << 16;
    const WANTED_BUFFER_BYTES: usize = 32 << 20;

    let ended = super::input_ended();
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let _ = setsockopt(&socket, sockopt::RcvBufForce, &WANTED_BUFFER_BYTES);
    socket.set_read_timeout(Some(Duration::from_millis(500)))?;
    println!("{}", socket.local_addr()?);
    std::io::stdout().flush()?;

    let mut buffer = vec![0; MOST_BYTES * AT_ONCE];
    let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(AT_ONCE, None);
    let mut datagrams = 0;
    loop {
        let mut slices: Vec<[IoSliceMut<'_>; 1]> =
            buffer.chunks_exact_mut(MOST_BYTES).map(|buffer| [IoSliceMut::new(buffer)]).collect();
        let flags = MsgFlags::MSG_WAITFORONE;
        match recvmmsg(socket.as_raw_fd(), &mut headers, slices.iter_mut(), flags, None) {
            Ok(messages) => datagrams += messages.count() as u64,
            Err(nix::Error::EAGAIN) if ended.load(Ordering::Relaxed) => break,
            Err(nix::Error::EAGAIN | nix::Error::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    println!("{}", serde_json::to_string(&Bare { datagrams, processor_ns: processor_ns()? })?);
    Ok(())
}

/// Linux only.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run() -> Result<()> {
    anyhow::bail!("`udp` is only supported on Linux")
}
