//! The limit on open files of the process.

/// Raises the limit on open files of this process to the maximum that needs no privilege, and returns it. Returns `None` if there
/// is no limit, or it cannot be read.
#[cfg(target_os = "linux")]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Systems without a hard limit may still refuse an unlimited value. More than this is not needed.
    let wanted = maximum.unwrap_or(MOST).min(MOST);
    if current.is_some_and(|current| current < wanted)
        && setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_err()
    {
        return current;
    }
    current.map(|current| current.max(wanted))
}

/// Does nothing: other systems have no such limit, or none that can be changed.
#[cfg(not(target_os = "linux"))]
pub fn raise_open_files() -> Option<u64> {
    None
}

/// The limit that is requested at most.
#[cfg(target_os = "linux")]
const MOST: u64 = 65_536;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_once_and_stays() {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let most = maximum.unwrap_or(MOST).min(MOST);
        // Many systems start processes with a lower limit. Half of it is enough for the tests that run in this process meanwhile.
        setrlimit(Resource::Nofile, Rlimit { current: Some(most / 2), maximum }).unwrap();
        assert_eq!(raise_open_files(), Some(most));
        assert_eq!(raise_open_files(), Some(most));
        assert_eq!(getrlimit(Resource::Nofile).current, Some(most));
    }
}
