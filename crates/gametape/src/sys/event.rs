//! Named events of Windows: how a game notifies all waiting programs of new data.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::ptr::null;
use std::time::Duration;

use windows_sys::Win32::Foundation::{WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    CreateEventW, OpenEventW, PulseEvent, ResetEvent, SYNCHRONIZATION_SYNCHRONIZE, SetEvent, WaitForSingleObject,
};

use super::windows_object::{local_name, owned};

/// A manual-reset event `Local\NAME`. Once set, waits succeed until it is reset.
#[derive(Debug)]
pub struct Event(OwnedHandle);

impl Event {
    /// Creates an event in the nonsignaled state, or opens the existing one of that name.
    pub fn create(name: &str) -> io::Result<Self> {
        let name = local_name(name)?;
        // SAFETY: no attributes are given, and the name is null-terminated. Manual reset, not set.
        unsafe { owned(CreateEventW(null(), 1, 0, name.as_ptr())) }.map(Self)
    }

    /// Opens an event for waiting; `None` if there is none with that name.
    pub fn open(name: &str) -> io::Result<Option<Self>> {
        let name = local_name(name)?;
        // SAFETY: the name is null-terminated.
        match unsafe { owned(OpenEventW(SYNCHRONIZATION_SYNCHRONIZE, 0, name.as_ptr())) } {
            Ok(handle) => Ok(Some(Self(handle))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sets the event to signaled.
    pub fn set(&self) -> io::Result<()> {
        // SAFETY: the handle is that of an event.
        succeeded(unsafe { SetEvent(self.0.as_raw_handle()) })
    }

    /// Resets the event to nonsignaled.
    pub fn reset(&self) -> io::Result<()> {
        // SAFETY: the handle is that of an event.
        succeeded(unsafe { ResetEvent(self.0.as_raw_handle()) })
    }

    /// Releases all threads that are waiting at this moment.
    pub fn pulse(&self) -> io::Result<()> {
        // SAFETY: the handle is that of an event.
        succeeded(unsafe { PulseEvent(self.0.as_raw_handle()) })
    }

    /// Waits until the event is set. Returns `false` on timeout.
    pub fn wait(&self, at_most: Duration) -> io::Result<bool> {
        // One less than `INFINITE`.
        let ms = u32::try_from(at_most.as_millis()).unwrap_or(u32::MAX).min(u32::MAX - 1);
        // SAFETY: the handle can be waited for.
        match unsafe { WaitForSingleObject(self.0.as_raw_handle(), ms) } {
            WAIT_OBJECT_0 => Ok(true),
            WAIT_TIMEOUT => Ok(false),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn succeeded(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_seen_by_its_name_and_stays_set() {
        let name = format!("gametape-test-{}-event", std::process::id());
        assert!(Event::open(&name).unwrap().is_none());
        let made = Event::create(&name).unwrap();
        let seen = Event::open(&name).unwrap().unwrap();
        assert!(!seen.wait(Duration::ZERO).unwrap());
        made.set().unwrap();
        assert!(seen.wait(Duration::ZERO).unwrap() && seen.wait(Duration::ZERO).unwrap());
        made.reset().unwrap();
        assert!(!seen.wait(Duration::from_millis(1)).unwrap());
        assert!(seen.set().is_err(), "who only waits may not set it");
    }

    #[test]
    fn a_pulse_lets_pass_who_waits_and_nobody_else() {
        let name = format!("gametape-test-{}-pulse", std::process::id());
        let made = Event::create(&name).unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| Event::open(&name).unwrap().unwrap().wait(Duration::from_secs(20)));
            // It is unknown when the other thread waits, so pulse until it has passed.
            while !waits.is_finished() {
                made.pulse().unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(waits.join().unwrap().unwrap());
        });
        assert!(!made.wait(Duration::ZERO).unwrap());
    }
}
