//! The console window on Windows: a program started by a double-click has a console that closes with it.
//!
//! In that case the first lines say what to do, and at the end the window stays open until the user has read the result.

use crate::cli::tell;

/// Whether the console window closes with this program.
fn is_ours() -> bool {
    #[cfg(windows)]
    return gametape::sys::console_is_ours_alone();
    #[cfg(not(windows))]
    false
}

/// Prints what this program does, for users who started it by a double-click.
pub(crate) fn introduce() {
    if is_ours() && std::env::args_os().len() == 1 {
        tell("gametape records games. Start your game and drive: recording begins and ends by itself.");
        tell("Press Ctrl+C or close this window when you are done; the tape is saved first.");
        tell("No game installed? Open a terminal in this folder and run: gametape demo");
        tell("");
    }
}

/// Keeps the window open until the user closes it.
pub(crate) fn stay() {
    if !is_ours() {
        return;
    }
    #[cfg(windows)]
    gametape::sys::console_finished();
    tell("");
    tell("press Enter or close this window");
    let _ = std::io::stdin().read_line(&mut String::new());
}
