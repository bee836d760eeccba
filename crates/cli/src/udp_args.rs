//! Options for games that send datagrams over UDP.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};

use gametape::capture::UdpSettings;

/// Options of commands that record.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Games on the network (UDP)")]
pub(crate) struct UdpArgs {
    /// Also listen on this address, for games without a usual port; can be repeated
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Vec<SocketAddr>,
    /// Admit a console or another computer by its address; can be repeated [default: only this machine]
    #[arg(long, value_name = "ADDR")]
    lan: Vec<IpAddr>,
    /// Relay every datagram to another program, because only one can listen on a port; can be repeated
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_receiver)]
    forward: Vec<SocketAddr>,
    /// Do not listen for datagrams
    #[arg(long, conflicts_with_all = ["listen", "lan", "forward"])]
    no_udp: bool,
}

impl UdpArgs {
    /// Returns where to listen; `None` for nowhere. `usual_ports`: also on the ports that games use by default.
    pub(crate) fn settings(&self, usual_ports: bool) -> Option<UdpSettings> {
        let Self { listen, lan, forward, no_udp } = self.clone();
        (!no_udp && (usual_ports || !listen.is_empty())).then_some(UdpSettings { usual_ports, listen, lan, forward })
    }
}

/// Parses the address of a program that gets datagrams. Games send IPv4, so that is preferred.
pub(crate) fn parse_receiver(text: &str) -> Result<SocketAddr, String> {
    let found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|error| error.to_string())?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().filter(|address| address.port() != 0).ok_or_else(|| "no such address; write HOST:PORT".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_resolved_and_ports_are_needed() {
        assert_eq!(parse_receiver("127.0.0.1:20778"), Ok("127.0.0.1:20778".parse().unwrap()));
        assert_eq!(parse_receiver("localhost:20778").map(|address| address.port()), Ok(20778));
        for wrong in ["127.0.0.1", "127.0.0.1:0", "", "no such host:1"] {
            assert!(parse_receiver(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn with_names_of_its_own_only_named_addresses_are_listened_on() {
        let listen = UdpArgs { listen: vec!["127.0.0.1:9".parse().unwrap()], ..UdpArgs::default() };
        assert!(UdpArgs::default().settings(false).is_none() && UdpArgs::default().settings(true).unwrap().usual_ports);
        assert!(!listen.settings(false).unwrap().usual_ports);
        assert!(UdpArgs { no_udp: true, ..UdpArgs::default() }.settings(true).is_none());
    }
}
