//! Who may send: programs on this machine, and those on the network that the user names.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// How many addresses are remembered. A flood of forged senders must not fill the memory.
const MOST_REMEMBERED: usize = 256;

/// Any port would do.
const DISCARD: u16 = 9;

/// Decides which senders are admitted.
#[derive(Debug)]
pub(super) struct Admission {
    lan: Vec<IpAddr>,
    /// Whether an address is one of this machine's own.
    own: HashMap<IpAddr, bool>,
}

impl Admission {
    /// Admits this machine and these addresses.
    pub(super) fn new(lan: &[IpAddr]) -> Self {
        Self { lan: lan.iter().map(IpAddr::to_canonical).collect(), own: HashMap::new() }
    }

    /// Returns whether datagrams from this address are taken.
    pub(super) fn admits(&mut self, from: IpAddr) -> bool {
        // A socket for IPv6 receives IPv4, too, from addresses such as `::ffff:192.0.2.7`.
        let from = from.to_canonical();
        if from.is_loopback() || self.lan.contains(&from) {
            return true;
        }
        if let Some(own) = self.own.get(&from) {
            return *own;
        }
        let own = is_own(from);
        if self.own.len() < MOST_REMEMBERED {
            self.own.insert(from, own);
        }
        own
    }
}

/// Returns whether an address belongs to this machine: what is sent to an address of one's own comes from that address. Nothing is sent here.
pub(super) fn is_own(address: IpAddr) -> bool {
    let anywhere: IpAddr = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let sends_from = |socket: UdpSocket| {
        socket.connect((address, DISCARD))?;
        socket.local_addr()
    };
    UdpSocket::bind((anywhere, 0)).and_then(sends_from).is_ok_and(|from| from.ip() == address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_named_addresses_are_admitted() {
        let console: IpAddr = "192.0.2.7".parse().unwrap();
        let mut admission = Admission::new(&[console]);
        assert!(admission.admits("127.0.0.1".parse().unwrap()) && admission.admits("127.9.9.9".parse().unwrap()));
        assert!(admission.admits(console) && !Admission::new(&[]).admits(console));
        assert!(admission.admits("::1".parse().unwrap()) && admission.admits("::ffff:127.0.0.1".parse().unwrap()));
        assert!(admission.admits("::ffff:192.0.2.7".parse().unwrap()));
        assert!(Admission::new(&["::ffff:192.0.2.7".parse().unwrap()]).admits(console));
        for other in ["192.0.2.8", "::ffff:192.0.2.8", "255.255.255.255", "0.0.0.0", "224.0.0.1"] {
            assert!(!admission.admits(other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn forged_senders_do_not_fill_the_memory() {
        let mut admission = Admission::new(&[]);
        for last in 0..1000_u32 {
            assert!(!admission.admits(IpAddr::from((0xC612_0000 + last).to_be_bytes())));
        }
        assert_eq!(admission.own.len(), MOST_REMEMBERED);
    }
}
