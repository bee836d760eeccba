//! PostgreSQL: a server named by a URL (`postgres://user@host/database`), and how connections to it are opened.
//!
//! Tables are created in the first schema of the search path. A server that has become unreachable is detected within seconds, so that
//! callers never block for long.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use postgres::{Client, Config, NoTls};

use super::connection::{Connection, Database};
use super::error::StoreError;
use super::postgres::{PostgresConnection, reason_of, told};
use super::postgres_worker::{WorkerConnection, serve};

/// Timeout for the first response of a server, and for the acknowledgement of sent data.
const PATIENCE: Duration = Duration::from_secs(5);

/// TCP keepalive: idle time before the first probe, interval and number of probes.
const SILENCE: Duration = Duration::from_secs(5);
const ASK_EVERY: Duration = Duration::from_secs(2);
const ASK_TIMES: u32 = 3;

/// Sets the lock timeout and the statement timeout, in milliseconds, unless the URL or the server configures them.
const LIMITS: &str = "SELECT set_config(name, CASE name WHEN 'lock_timeout' THEN '5000' ELSE '60000' END, false) \
                      FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout') AND setting = '0'";

/// Maximum number of pending connection attempts.
const MOST_UNANSWERED: usize = 8;

/// A PostgreSQL server.
pub(super) struct PostgresServer {
    name: String,
    connector: Arc<Connector>,
}

/// Opens connections.
struct Connector {
    config: Config,
    unanswered: AtomicUsize,
}

impl PostgresServer {
    /// Parses a URL. Does not connect.
    pub(super) fn new(url: &str) -> Result<Self, StoreError> {
        let name = without_password(url);
        let mut config = Config::from_str(url)
            .map_err(|error| StoreError::Open { store: name.clone(), reason: reason_of(&error) })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        config.tcp_user_timeout(PATIENCE);
        config.keepalives_idle(SILENCE).keepalives_interval(ASK_EVERY).keepalives_retries(ASK_TIMES);
        if config.get_application_name().is_none() {
            config.application_name("gametape");
        }
        Ok(Self { name, connector: Arc::new(Connector { config, unanswered: AtomicUsize::new(0) }) })
    }
}

/// Returns a short hash for use in file names. It identifies a server and database, and does not depend on the login.
pub(super) fn server_key(url: &str) -> Result<String, StoreError> {
    let connector = PostgresServer::new(url)?.connector;
    let config = &connector.config;
    // The default database name is the user name.
    let database = config.get_dbname().or(config.get_user());
    let hosts: Vec<_> = config.get_hosts().iter().map(|host| format!("{host:?}")).collect();
    let ports: Vec<_> = match config.get_ports() {
        [] => vec![5432],
        ports => ports.to_vec(),
    };
    let all = format!("{:?}", (hosts, config.get_hostaddrs(), ports, database, config.get_options()));
    Ok(blake3::hash(all.as_bytes()).to_hex().chars().take(16).collect())
}

/// Returns a URL without its password, for display.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    let (place, _) = rest.split_once('?').unwrap_or((rest, ""));
    match place.rsplit_once('@') {
        Some((user, place)) => format!("{scheme}://{}@{place}", user.split(':').next().unwrap_or_default()),
        None => format!("{scheme}://{place}"),
    }
}

impl Database for PostgresServer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, StoreError> {
        let failed = |silent: NoClient| match silent {
            NoClient::Silent(reason) => StoreError::Unreachable { store: self.name.clone(), reason },
            NoClient::Refused(error) => told(&self.name, &error),
        };
        let of_probe = Arc::clone(&self.connector);
        // A server that refuses the connection is reachable.
        let probe = Arc::new(move || !matches!(of_probe.open(drop), Err(NoClient::Silent(_))));
        let (connection, orders) = WorkerConnection::new(self.name.clone(), probe);
        let store = self.name.clone();
        let run = move |client| serve(PostgresConnection::new(client, store), &orders);
        self.connector.open(run).map_err(failed)?;
        Ok(Box::new(connection))
    }
}

/// Why no connection was opened.
enum NoClient {
    /// The server did not respond.
    Silent(String),
    /// The server, or the operating system, refused the connection.
    Refused(postgres::Error),
}

impl Connector {
    /// Opens a connection on a separate thread and runs `run` with it there. Returns when the connection is open.
    ///
    /// The library limits the time for connecting, but not the time for the first response: a server that hangs would block forever.
    fn open(self: &Arc<Self>, run: impl FnOnce(Client) + Send + 'static) -> Result<(), NoClient> {
        if self.unanswered.fetch_add(1, Ordering::Relaxed) >= MOST_UNANSWERED {
            self.unanswered.fetch_sub(1, Ordering::Relaxed);
            return Err(NoClient::Silent("it accepts connections but does not respond".to_owned()));
        }
        let (tell, hear) = channel();
        let connector = Arc::clone(self);
        let connect = move || {
            let opened = connector.config.connect(NoTls);
            let opened = opened.and_then(|mut client| client.batch_execute(LIMITS).map(|()| client));
            connector.unanswered.fetch_sub(1, Ordering::Relaxed);
            match opened {
                Ok(client) if tell.send(Ok(())).is_ok() => run(client),
                Ok(_) => {}
                Err(error) => drop(tell.send(Err(error))),
            }
        };
        let spawned = std::thread::Builder::new().name("store-postgres".to_owned()).spawn(connect);
        if let Err(error) = spawned {
            self.unanswered.fetch_sub(1, Ordering::Relaxed);
            return Err(NoClient::Silent(error.to_string()));
        }
        let hosts = u32::try_from(self.config.get_hosts().len()).unwrap_or(1).max(1);
        let limit = *self.config.get_connect_timeout().unwrap_or(&PATIENCE) * hosts;
        match hear.recv_timeout(limit) {
            Ok(opened) => opened.map_err(NoClient::Refused),
            Err(_) => Err(NoClient::Silent(format!("no response within {} s", limit.as_secs()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_and_database_has_a_key_of_its_own() {
        let key = |url: &str| server_key(url).unwrap();
        let one = key("postgres://me:secret@host/laps");
        assert_eq!(one.len(), 16);
        for same in ["postgres://me:other@host/laps", "postgresql://you@host:5432/laps?connect_timeout=3"] {
            assert_eq!(key(same), one, "{same}");
        }
        for other in [
            "postgres://me@other/laps",
            "postgres://me@host:5433/laps",
            "postgres://me@host/races",
            "postgres://me@host",
            "postgres://me@host/laps?options=-csearch_path%3Dx",
        ] {
            assert_ne!(key(other), one, "{other}");
        }
        assert!(server_key("postgres://host:port").is_err());
    }

    #[test]
    fn names_of_servers_show_no_password() {
        for (url, shown) in [
            ("postgres://me:secret@host:5432/laps?sslmode=disable&password=x", "postgres://me@host:5432/laps"),
            ("postgresql://host/laps", "postgresql://host/laps"),
            ("postgres://me:a@b@host/laps", "postgres://me@host/laps"),
            ("host=x password=secret", "postgres"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
