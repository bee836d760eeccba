//! How Windows tells a console program that it shall end: Ctrl+C, Ctrl+Break, the window closed, logging off, shutting down.
//!
//! ```text
//! Ctrl+C, Ctrl+Break ────▶ handler ──▶ Interrupt
//! window closed ─────────▶ handler ──▶ End, then waits ┐ the process ends when the handler returns,
//! logging off, shutdown ─▶ hidden window ──▶ the same  ┘ or after some five seconds
//! ```
//! A program that has loaded `user32.dll` (and whoever asks for the Documents folder has) is not told of the last two by its console, but only
//! by messages to a window. So there is one, on a thread of its own, that nobody sees.

use std::io;
use std::ptr::{null, null_mut};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

use windows_sys::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT, GetConsoleProcessList,
    SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DispatchMessageW, GetMessageW, MSG, RegisterClassW, WM_ENDSESSION,
    WM_QUERYENDSESSION, WNDCLASSW, WS_OVERLAPPED,
};

use super::windows_object::wide;

/// The class of the hidden window, by which others find it.
const WINDOW: &str = "gametape-end";

/// What the console or the system wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleEvent {
    /// Ctrl+C or Ctrl+Break.
    Interrupt,
    /// The window was closed, the user logs off, or the machine shuts down.
    End,
}

type Handler = Box<dyn Fn(ConsoleEvent) -> bool + Send + Sync>;

static HANDLER: OnceLock<Handler> = OnceLock::new();
static FINISHED: Mutex<bool> = Mutex::new(false);
static FINISHED_NOW: Condvar = Condvar::new();

/// Calls the handler, on a thread of the system, when the end is wanted. What it does not take (`false`) does what it does without
/// us: the process ends. After an [`End`](ConsoleEvent::End) that it takes, the system waits until [`console_finished`] or the end of the
/// process, but not for long. There can be one handler in a process.
pub fn on_console_event(handler: impl Fn(ConsoleEvent) -> bool + Send + Sync + 'static) -> io::Result<()> {
    HANDLER.set(Box::new(handler)).map_err(|_| io::Error::other("somebody listens to the console already"))?;
    // SAFETY: the function is there as long as the process.
    if unsafe { SetConsoleCtrlHandler(Some(of_console), 1) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // Without a window we are only not told of a shutdown; the journal keeps what was recorded.
    let _ = std::thread::Builder::new().name("gametape-end".into()).spawn(run_window);
    Ok(())
}

/// Nothing is left to be finished: whoever waits to end the process may do so.
pub fn console_finished() {
    *FINISHED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    FINISHED_NOW.notify_all();
}

/// Whether this program is the only one in its console window: it was started by a double-click, and the window goes away with it.
pub fn console_is_ours_alone() -> bool {
    let mut processes = [0; 2];
    // SAFETY: there is room for as many numbers as the call is told.
    unsafe { GetConsoleProcessList(processes.as_mut_ptr(), 2) == 1 }
}

fn heard(event: ConsoleEvent) -> bool {
    let taken = HANDLER.get().is_some_and(|handler| handler(event));
    if taken && event == ConsoleEvent::End {
        let finished = FINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        drop(FINISHED_NOW.wait_while(finished, |finished| !*finished));
    }
    taken
}

unsafe extern "system" fn of_console(kind: u32) -> i32 {
    let event = match kind {
        CTRL_C_EVENT | CTRL_BREAK_EVENT => ConsoleEvent::Interrupt,
        CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT => ConsoleEvent::End,
        _ => return 0,
    };
    i32::from(heard(event))
}

unsafe extern "system" fn of_window(window: HWND, message: u32, wide: WPARAM, long: LPARAM) -> LRESULT {
    match message {
        // We do not stand in the way, and are told when it is certain.
        WM_QUERYENDSESSION => 1,
        WM_ENDSESSION if wide != 0 => {
            heard(ConsoleEvent::End);
            0
        }
        // SAFETY: what the system has given us goes on to it.
        _ => unsafe { DefWindowProcW(window, message, wide, long) },
    }
}

fn run_window() {
    let class_name = wide(WINDOW);
    // SAFETY: the class lives as long as the process, its name until it is registered; a structure of which all other fields may be zero. The
    // window belongs to this thread, which does nothing but pass on its messages.
    unsafe {
        let module = GetModuleHandleW(null());
        let class = WNDCLASSW {
            lpfnWndProc: Some(of_window),
            hInstance: module,
            lpszClassName: class_name.as_ptr(),
            ..std::mem::zeroed()
        };
        if RegisterClassW(&raw const class) == 0 {
            return;
        }
        let (none, name) = (null_mut(), class_name.as_ptr());
        let window = CreateWindowExW(0, name, name, WS_OVERLAPPED, 0, 0, 0, 0, none, none, module, null());
        if window.is_null() {
            return;
        }
        let mut message: MSG = std::mem::zeroed();
        while GetMessageW(&raw mut message, null_mut(), 0, 0) > 0 {
            DispatchMessageW(&raw const message);
        }
    }
}
