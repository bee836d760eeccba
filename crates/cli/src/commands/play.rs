//! `gametape play`

use std::io::{IsTerminal as _, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use gametape::Tape;
use gametape::play::{Controls, Ended, FASTEST, PlayError, Played, Player, Playing, SLOWEST, StageError};
use gametape::sys::Prefix;
use serde_json::json;

use super::of_lap;
use super::play_keys;
use super::play_process::StandIn;
use super::record::parse_prefix;
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::recording::on_terminal;
use crate::stop::Stop;
use crate::udp_args::{parse_lan, parse_receiver};
use crate::{human, open, time};

/// How often the status line is updated and Ctrl+C is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const REDRAW_INTERVAL: Duration = Duration::from_millis(250);

/// Replay a tape into shared memory, over HTTP or over UDP, as if the game were running
///
/// Writes the game's shared-memory pages with the timing of the recording; Echo VR tapes are served over HTTP, on port 6721 of
/// this machine; games that send over UDP are sent again, datagram by datagram. At speed 1, without --loop and without seeking, not a byte is changed; over loops and seeks, counters that
/// programs expect to rise keep rising. Refuses to run while the game is running.
///
/// Keys on a terminal: space pauses and resumes, left and right seek 5 seconds, down and up seek a minute, q quits. With
/// --step: space, Enter or n shows the next frame.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape play race.gtape
  gametape play race.gtape --from 10m --to 12m --loop
  gametape play race.gtape --lap 3 --loop
  gametape play race.gtape --speed 10 --names test-
  yes | head -100 | gametape play race.gtape --step
  gametape play race.gtape --as-process acs.exe --simapi
  gametape play f1.gtape --send-to 127.0.0.1:20778
  gametape play match.gtape --http-port 6722    then: curl http://127.0.0.1:6722/session

On Linux the pages are files in /dev/shm; iRacing's is IRSDKMemMapFileName, which pyirsdk opens with
startup(test_file='/dev/shm/IRSDKMemMapFileName'). Times: 90, 1:30.5, 10m, 250ms.")]
pub(crate) struct Args {
    /// The tape [default: the newest one]
    file: Option<PathBuf>,
    /// Speed factor, from 0.1 to 100
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
    /// Repeat until stopped
    #[arg(long = "loop")]
    looping: bool,
    /// Start at this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    from: Option<u64>,
    /// Stop before this time
    #[arg(long, value_name = "T", value_parser = time::parse_ns)]
    to: Option<u64>,
    /// Play only this lap: its number on the tape, as `gametape laps` prints it
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "to"])]
    lap: Option<u32>,
    /// Show one frame per key, or per line on stdin
    #[arg(long)]
    step: bool,
    /// Prefix of the shared-memory names [default: none, like the games]
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    /// Also run an idle process with this name, for programs that look for the game's process
    #[arg(long, value_name = "NAME", value_parser = StandIn::check_name)]
    as_process: Option<String>,
    /// Also write SIMAPI.DAT, for programs that read all games through it
    #[arg(long)]
    simapi: bool,
    /// Port on which iRacing clients check whether the game is running, 0 to disable [default: 32034; disabled with --names]
    #[arg(long, value_name = "PORT")]
    status_port: Option<u16>,
    /// Port on 127.0.0.1 for games with an HTTP API, 0 for any free port [default: the game's own, 6721 for Echo VR; a free one
    /// with --names]
    #[arg(long, value_name = "PORT")]
    http_port: Option<u16>,
    /// Receivers of the datagrams of games that send over UDP; can be repeated [default: the game's own port on this machine]
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_receiver)]
    send_to: Vec<SocketAddr>,
    /// UDP port for requests of clients, for games that send telemetry on request only (Gran Turismo, Assetto Corsa); 0 for any free port
    /// [default: the game's own; a free one with --names]
    #[arg(long, value_name = "PORT")]
    request_port: Option<u16>,
    /// Also respond to requests from another computer, by its address; can be repeated [default: only this machine]
    #[arg(long, value_name = "ADDR", value_parser = parse_lan)]
    lan: Vec<IpAddr>,
    /// Play even if the game is running: its memory is overwritten
    #[arg(long)]
    force: bool,
    /// Print one JSON document to stdout at the end
    #[arg(long)]
    json: bool,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (SLOWEST..=FASTEST).contains(speed));
    speed.ok_or_else(|| format!("the speed must be a number from {SLOWEST} to {FASTEST}"))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let times = args.from.unwrap_or(0)..args.to.unwrap_or(u64::MAX);
    if times.is_empty() {
        return Err(exit::usage("--to must be later than --from"));
    }
    let stop = Stop::listen()?;
    let path = open::or_newest(args.file.clone())?;
    let tape = Tape::from(open::tape(&path)?);
    let times = match args.lap {
        Some(number) => of_lap::times_of(tape.raw(), number, &path)?,
        None => times,
    };
    let playing = player(args, &tape, &times).start().map_err(explain)?;
    let _stand_in = args.as_process.as_deref().map(StandIn::start).transpose()?;
    introduce(&playing, &path, args);
    let controls = playing.controls();
    let keys = play_keys::listen(&controls, args.step)?;
    let game = playing.game_id().to_owned();
    let (ended, played) = play(playing, &stop, &controls);
    let interrupted = stop.interrupted() || keys.as_ref().is_some_and(play_keys::Keys::interrupted);
    drop(keys);
    let played = played.map_err(explain)?;
    report(&path, &game, &played, ended, args.json)?;
    let lost = played.lost > 0 || !played.problems.is_empty();
    Ok(match (lost, interrupted) {
        (true, _) => Outcome::Damage,
        (false, true) => Outcome::Interrupted,
        (false, false) => Outcome::Done,
    })
}

fn player(args: &Args, tape: &Tape, times: &Range<u64>) -> Player {
    let mut player = Player::new(tape)
        .names(args.names.clone().unwrap_or_default())
        .speed(args.speed)
        .looping(args.looping)
        .simapi(args.simapi)
        .force(args.force);
    if times.start > 0 {
        player = player.from(Duration::from_nanos(times.start));
    }
    if times.end < u64::MAX {
        player = player.to(Duration::from_nanos(times.end));
    }
    player = player.send_to(&args.send_to).lan(&args.lan);
    if let Some(port) = args.request_port {
        player = player.request_port(port);
    }
    if let Some(port) = args.http_port {
        player = player.http_port(port);
    }
    match args.status_port {
        Some(port) => player.status_port((port != 0).then_some(port)),
        None => player,
    }
}

/// Adds hints that name command-line options, which the library does not know.
fn explain(error: PlayError) -> anyhow::Error {
    match error {
        PlayError::Live { found } => {
            anyhow!("{found}, so nothing was written; quit it, play under other names with --names, or use --force")
        }
        PlayError::Stage(StageError::Port { port, source }) => anyhow!(
            "cannot listen on port {port} of this machine: {source}; quit the game or the other player that uses it, or choose another port with --http-port (HTTP) or --request-port (UDP)"
        ),
        PlayError::Stage(StageError::NoReceiver { .. }) => anyhow!("{error}: --send-to HOST:PORT"),
        PlayError::NotPlayable { .. } | PlayError::Empty { .. } => exit::nothing_found(error.to_string()),
        error => error.into(),
    }
}

fn introduce(playing: &Playing, path: &Path, args: &Args) {
    let names = args.names.as_ref().map(Prefix::as_str).filter(|prefix| !prefix.is_empty());
    let names = names.map_or_else(String::new, |prefix| format!(" with shared-memory names that start with {prefix}"));
    tell(&format!("playing {} as {}{names}", path.display(), playing.game().name));
    if let Some(address) = playing.status_address() {
        tell(&format!("reporting to clients on {address} that the game is running"));
    }
    if let Some(address) = playing.http_address() {
        tell(&format!("serving the game's API on http://{address}"));
    }
    playing.notes().iter().for_each(|note| tell(&format!("note: {}", human::safe(note))));
    let keys = match (std::io::stdin().is_terminal(), args.step) {
        (true, false) => "space pauses, arrows seek, q or Ctrl+C quits",
        (true, true) => "space shows the next frame, arrows seek, q or Ctrl+C quits",
        (false, true) => "a line on stdin shows the next frame, end of input or Ctrl+C quits",
        (false, false) => "press Ctrl+C to stop",
    };
    tell(keys);
}

/// Plays on its own thread, so that nothing here delays a frame.
fn play(mut playing: Playing, stop: &Stop, controls: &Controls) -> (Option<Ended>, Result<Played, PlayError>) {
    let end = playing.times().end;
    let plays = move || {
        let ran = playing.run();
        let stopped = playing.stop();
        match ran {
            Ok(ended) => (Some(ended), stopped),
            Err(error) => (None, Err(error)),
        }
    };
    let thread = match std::thread::Builder::new().name("gametape-play".into()).spawn(plays) {
        Ok(thread) => thread,
        Err(error) => return (None, Err(PlayError::Thread(error))),
    };
    let mut renewed = Instant::now();
    while !thread.is_finished() {
        if stop.wanted() {
            controls.stop();
        }
        if on_terminal() && renewed.elapsed() >= REDRAW_INTERVAL {
            renewed = Instant::now();
            let line = status(controls.position(), end, controls.is_paused());
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K{line}");
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    if on_terminal() {
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
    }
    thread
        .join()
        .unwrap_or_else(|_| (None, Err(PlayError::Thread(std::io::Error::other("the player thread panicked")))))
}

/// Formats position and duration in tape time, and whether playback is paused.
fn status(position: Duration, end: Duration, paused: bool) -> String {
    let time = |time: Duration| human::duration(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    format!("{} of {}{}", time(position.min(end)), time(end), if paused { ", paused" } else { "" })
}

fn report(path: &Path, game: &str, played: &Played, ended: Option<Ended>, as_json: bool) -> anyhow::Result<()> {
    let Played { frames, loops, late, lost, unfit, problems } = played;
    for problem in problems {
        tell(&format!("warning: {}", human::safe(problem)));
    }
    let mut text = format!("{} shown", human::counted(*frames, "frame"));
    for (count, what) in [(loops, "restarts"), (late, "late"), (unfit, "that do not fit the game's memory")] {
        if *count > 0 {
            text.push_str(&format!(", {} {what}", human::count(*count)));
        }
    }
    if *lost > 0 {
        text.push_str(&format!(", {} LOST to damage", human::counted(*lost, "frame")));
    }
    tell(&text);
    if as_json {
        let ended = match ended {
            Some(Ended::AtEnd) => "end",
            _ => "stopped",
        };
        let document = json!({
            "path": path, "game": game, "ended": ended, "frames": frames, "loops": loops, "late": late, "lost": lost,
            "unfit": unfit, "problems": problems,
        });
        writeln!(crate::terminal::data(), "{document}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_has_position_total_time_and_whether_it_is_paused() {
        let line = |position, paused| status(Duration::from_secs(position), Duration::from_secs(90), paused);
        assert_eq!(
            line(12, false),
            format!("{} of {}", human::duration(12_000_000_000), human::duration(90_000_000_000))
        );
        assert!(line(12, true).ends_with(", paused"), "{}", line(12, true));
        assert_eq!(line(91, false), line(90, false));
    }
}
