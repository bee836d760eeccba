//! Options for games that send datagrams over UDP.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};

use gametape::capture::{AskedGame, UdpSettings};
use gametape::games::{GAMES, RequestSettings, find_game};

/// Options of commands that record.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(next_help_heading = "Games on the network (UDP)")]
pub(crate) struct UdpArgs {
    /// Also listen on this address, for games without a usual port; can be repeated
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Vec<SocketAddr>,
    /// Admit a console or another computer by its address, and request telemetry from games there that send on request only (Gran Turismo,
    /// Assetto Corsa); can be repeated [default: only this machine]
    #[arg(long, value_name = "ADDR", value_parser = parse_lan)]
    lan: Vec<IpAddr>,
    /// Request telemetry from a game at this address, for example on another port than its usual one, with a password if the game requires it;
    /// can be repeated
    #[arg(long, value_name = "ID=[PASSWORD@]HOST:PORT", value_parser = parse_ask)]
    ask: Vec<AskedGame>,
    /// Relay every datagram to another program, because only one can listen on a port; can be repeated
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_receiver)]
    forward: Vec<SocketAddr>,
    /// Do not listen for datagrams
    #[arg(long, conflicts_with_all = ["listen", "lan", "ask", "forward"])]
    no_udp: bool,
}

impl UdpArgs {
    /// Returns where to listen; `None` for nowhere. `usual_ports`: also on the ports that games use by default.
    pub(crate) fn settings(&self, usual_ports: bool) -> Option<UdpSettings> {
        let Self { listen, lan, ask, forward, no_udp } = self.clone();
        let is_used = usual_ports || !listen.is_empty() || !ask.is_empty();
        let settings = UdpSettings { usual_ports, listen, lan, forward, ask, ..UdpSettings::default() };
        (!no_udp && is_used).then_some(settings)
    }
}

/// Parses the address of a program that gets datagrams. Games send IPv4, so that is preferred.
pub(crate) fn parse_receiver(text: &str) -> Result<SocketAddr, String> {
    let found: Vec<SocketAddr> = text.to_socket_addrs().map_err(|error| error.to_string())?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().filter(|address| address.port() != 0).ok_or_else(|| "no such address; write HOST:PORT".into())
}

/// Parses the address of a console or another computer.
pub(crate) fn parse_lan(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| "write an IP address such as 192.168.1.20")?;
    let many = address.is_unspecified() || address.is_multicast() || address == Ipv4Addr::BROADCAST;
    (!many)
        .then_some(address)
        .ok_or_else(|| "this is not the address of one device; name each one with its own --lan".into())
}

/// Parses the address of a game that sends on request.
fn parse_ask(text: &str) -> Result<AskedGame, String> {
    let (id, rest) = text.split_once('=').ok_or("write ID=HOST:PORT")?;
    let (password, address) = match rest.rsplit_once('@') {
        Some((password, address)) => (Some(password.to_owned()), address),
        None => (None, rest),
    };
    let Some(game) = find_game(id).filter(|game| game.rules.requests().is_some()) else {
        let can: Vec<&str> = GAMES.iter().filter(|game| game.rules.requests().is_some()).map(|game| game.id).collect();
        return Err(format!("{id:?} does not send telemetry on request; these games do: {}", can.join(", ")));
    };
    let settings = RequestSettings { password, ..RequestSettings::default() };
    Ok(AskedGame { game: game.id, address: parse_receiver(address)?, settings })
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
    fn only_single_devices_are_admitted() {
        assert_eq!(parse_lan("192.0.2.7"), Ok("192.0.2.7".parse().unwrap()));
        assert!(parse_lan("fe80::1").is_ok());
        for wrong in ["0.0.0.0", "::", "255.255.255.255", "224.0.0.1", "ff02::1", "192.0.2.7:80", "console", ""] {
            assert!(parse_lan(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_games_that_send_on_request_can_be_requested() {
        let asked = parse_ask("gt7=127.0.0.1:4000").unwrap();
        assert_eq!((asked.game, asked.address), ("gran-turismo-7", "127.0.0.1:4000".parse().unwrap()));
        assert!(parse_ask("f1-25=127.0.0.1:4000").unwrap_err().contains("gran-turismo-7"));
        assert!(parse_ask("gt7").is_err() && parse_ask("gt7=127.0.0.1").is_err());
        let with_password = parse_ask("acc=p@ss@127.0.0.1:9000").unwrap();
        assert_eq!(with_password.settings.password.as_deref(), Some("p@ss"));
        assert_eq!((asked.settings.password.as_deref(), with_password.address.port()), (None, 9000));
        let ask = UdpArgs { ask: vec![asked.clone()], ..UdpArgs::default() };
        assert_eq!(ask.settings(false).unwrap().ask, [asked]);
    }

    #[test]
    fn with_names_of_its_own_only_named_addresses_are_listened_on() {
        let listen = UdpArgs { listen: vec!["127.0.0.1:9".parse().unwrap()], ..UdpArgs::default() };
        assert!(UdpArgs::default().settings(false).is_none() && UdpArgs::default().settings(true).unwrap().usual_ports);
        assert!(!listen.settings(false).unwrap().usual_ports);
        assert!(UdpArgs { no_udp: true, ..UdpArgs::default() }.settings(true).is_none());
    }
}
