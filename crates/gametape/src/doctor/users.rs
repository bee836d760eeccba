//! Maps user ids to names.

/// The users of this machine from `/etc/passwd`, and the user of this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users {
    /// User id of this process; `None` if the system has no such ids.
    pub own: Option<u32>,
    /// User ids and names.
    pub names: Vec<(u32, String)>,
}

impl Users {
    /// Reads them from the system.
    pub(super) fn of_this_machine() -> Self {
        // If the list cannot be read, ids are shown instead of names.
        let list = std::fs::read("/etc/passwd").unwrap_or_default();
        let own = std::fs::read("/proc/self/status").ok().and_then(|status| crate::sys::effective_user(&status));
        Self { own, names: names(&String::from_utf8_lossy(&list)) }
    }

    /// Returns the name, or the id if there is none.
    pub(super) fn name(&self, number: u32) -> String {
        match self.names.iter().find(|(known, _)| *known == number) {
            Some((_, name)) => name.clone(),
            None => format!("user {number}"),
        }
    }

    /// Returns whether this is another user.
    pub(super) fn is_other(&self, number: Option<u32>) -> bool {
        matches!((self.own, number), (Some(own), Some(number)) if own != number)
    }

    /// Returns the name of the user of this process.
    pub(super) fn own_name(&self) -> String {
        self.own.map_or_else(|| "this user".into(), |own| self.name(own))
    }
}

/// Parses lines of the form `name:x:id:…`.
fn names(list: &str) -> Vec<(u32, String)> {
    let user = |line: &str| {
        let mut parts = line.split(':');
        let name = parts.next()?;
        Some((parts.nth(1)?.parse().ok()?, name.to_owned()))
    };
    list.lines().filter_map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_without_a_name_is_a_number() {
        let users =
            Users { own: Some(0), names: names("root:x:0:0::/root:/bin/sh\nnonsense\ndriver:x:1000:1000:::\n") };
        assert_eq!(
            (users.name(1000), users.name(7), users.own_name()),
            ("driver".into(), "user 7".into(), "root".into())
        );
        assert!(users.is_other(Some(1000)) && !users.is_other(Some(0)) && !users.is_other(None));
    }
}
