//! A window of our own: started by a double-click, the program has a console that goes away with it.
//!
//! Then the first lines say what to do, and at the end the window stays until the user has read what came of it.

use crate::cli::tell;

/// Whether the window goes away with this program.
fn is_ours() -> bool {
    #[cfg(windows)]
    return gametape::sys::console_is_ours_alone();
    #[cfg(not(windows))]
    false
}

/// Says what this program is for, to somebody who has only clicked on it.
pub(crate) fn introduce() {
    if is_ours() && std::env::args_os().len() == 1 {
        tell("gametape records games. Start your game and drive: recording begins and ends by itself.");
        tell("Press Ctrl+C or close this window when you are done; the tape is closed first.");
        tell("No game at hand? Open a terminal in this folder and type: gametape demo");
        tell("");
    }
}

/// Keeps the window until the user wants it gone.
pub(crate) fn stay() {
    if !is_ours() {
        return;
    }
    #[cfg(windows)]
    gametape::sys::console_finished();
    tell("");
    tell("you can close this window, or press Enter");
    let _ = std::io::stdin().read_line(&mut String::new());
}
