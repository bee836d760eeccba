//! Which program uses a port, where the system tells.

/// Returns the program that has bound a UDP port: its name and process id.
#[cfg(target_os = "linux")]
pub(super) fn port_owner(port: u16) -> Option<String> {
    let tables = ["/proc/net/udp", "/proc/net/udp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let inode = tables.iter().find_map(|table| inode_of(table, port))?;
    let wanted = format!("socket:[{inode}]");
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|entry| Some((entry.path(), entry.file_name().to_str()?.parse::<u32>().ok()?))).find_map(
        |(folder, id)| {
            let files = std::fs::read_dir(folder.join("fd")).ok()?.flatten();
            let is_it = |path: std::path::PathBuf| std::fs::read_link(path).is_ok_and(|to| to.as_os_str() == &*wanted);
            files.map(|file| file.path()).any(is_it).then(|| {
                let name = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
                format!("{}, process {id},", name.trim())
            })
        },
    )
}

/// Other systems do not tell without more rights.
#[cfg(not(target_os = "linux"))]
pub(super) fn port_owner(_port: u16) -> Option<String> {
    None
}

/// Returns the inode of the socket on a port, from a table such as `/proc/net/udp`.
#[cfg(target_os = "linux")]
fn inode_of(table: &str, port: u16) -> Option<u64> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let (_, local) = words.nth(1)?.rsplit_once(':')?;
        (u16::from_str_radix(local, 16).ok()? == port).then_some(())?;
        words.nth(7)?.parse().ok()
    };
    table.lines().skip(1).find_map(of_line)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_owner_of_a_port_is_named() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let owner = port_owner(socket.local_addr().unwrap().port()).unwrap();
        assert!(owner.ends_with(&format!("process {},", std::process::id())), "{owner}");
        assert_eq!(inode_of("head\n 1: 0100007F:5129 00000000:0000 07 0:0 00:0 0 0 0 4711 2", 20777), Some(4711));
        assert_eq!(inode_of("head\nnonsense\n 1: x:zz 0", 20777), None);
    }
}
