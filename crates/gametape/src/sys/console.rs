//! How Windows asks a console program to end: Ctrl+C, Ctrl+Break, closing the window, logging off, shutting down.
//!
//! ```text
//! Ctrl+C, Ctrl+Break ────▶ handler ──▶ Interrupt
//! window closed ─────────▶ handler ──▶ End, then waits ┐ the process ends when the handler returns,
//! logging off, shutdown ─▶ hidden window ──▶ likewise  ┘ or after about five seconds
//! ```
//! The console does not report the last two to a program that has loaded `user32.dll` (looking up the Documents folder does that);
//! it only receives window messages. So there is a hidden window on a separate thread.

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

/// The class of the hidden window, by which other programs can find it.
const WINDOW: &str = "gametape-end";

/// What the console or the system requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleEvent {
    /// Ctrl+C or Ctrl+Break.
    Interrupt,
    /// The window was closed, the user is logging off, or the machine is shutting down.
    End,
}

type Handler = Box<dyn Fn(ConsoleEvent) -> bool + Send + Sync>;

static HANDLER: OnceLock<Handler> = OnceLock::new();
static FINISHED: Mutex<bool> = Mutex::new(false);
static FINISHED_NOW: Condvar = Condvar::new();

/// Sets the handler, which is called on a thread of the system when the process is asked to end. If it returns `false`, the default
/// applies: the process ends. After an [`End`](ConsoleEvent::End) for which it returns `true`, the system waits until
/// [`console_finished`] or the end of the process, but only a few seconds. A process can have one handler.
pub fn on_console_event(handler: impl Fn(ConsoleEvent) -> bool + Send + Sync + 'static) -> io::Result<()> {
    HANDLER.set(Box::new(handler)).map_err(|_| io::Error::other("a console handler is already set"))?;
    // SAFETY: the function exists as long as the process.
    if unsafe { SetConsoleCtrlHandler(Some(of_console), 1) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // Without the window, only a shutdown goes unnoticed; the journal keeps what was recorded.
    let _ = std::thread::Builder::new().name("gametape-end".into()).spawn(run_window);
    Ok(())
}

/// Reports that all work is finished, so that the process may be ended.
pub fn console_finished() {
    *FINISHED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    FINISHED_NOW.notify_all();
}

/// Returns whether this program is the only one in its console window: it was started with a double-click, and the window closes
/// with it.
pub fn console_is_ours_alone() -> bool {
    let mut processes = [0; 2];
    // SAFETY: the buffer has space for as many ids as are requested.
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
        // Do not block the shutdown; another message confirms it.
        WM_QUERYENDSESSION => 1,
        WM_ENDSESSION if wide != 0 => {
            heard(ConsoleEvent::End);
            0
        }
        // SAFETY: the arguments come from the system and are passed on unchanged.
        _ => unsafe { DefWindowProcW(window, message, wide, long) },
    }
}

fn run_window() {
    let class_name = wide(WINDOW);
    // SAFETY: the class lives as long as the process, its name until it is registered; all other fields of the structure may be
    // zero. The window belongs to this thread, which only dispatches its messages.
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
