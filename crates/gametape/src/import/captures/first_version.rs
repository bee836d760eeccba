//! Importer for `.nevrcap` files, the format that preceded Telemetry V2.

use telemetry_v2::Fitted;
use telemetry_v2::nevrcap::{self, Item, RawRecord, ReadError, Reader};
use telemetry_v2::proto::telemetry::v1::LobbySessionStateFrame;

use super::{ANSWERS, CaptureError, LAYOUT, NEVRCAP_RECORDS, Reading, limits};
use crate::echo::{Keys, Maker, write_player_bones, write_session};
use crate::import::echo_streams::{EchoStreams, Kept};
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::{Problems, tell_source_at};
use crate::import::{Found, ImportError, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " nevrcap 1");

/// Reads `.nevrcap` files.
pub(in crate::import) struct NevrcapImporter;

impl Importer for NevrcapImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let failed = |error: ReadError| match error {
            ReadError::Io(error) => ImportError::Read { path: source.path.clone(), source: error },
            error => CaptureError::Read(error.to_string()).into(),
        };
        let mut reader = Reader::with_limits(Reading::new(source), &limits()).map_err(failed)?;
        let mut import = Importing {
            streams: EchoStreams::new(NEVRCAP_RECORDS),
            problems: Problems::default(),
            maker: Maker::default(),
            header_ns: None,
            start_ns: None,
            header: None,
            records: 0,
            frames: 0,
            went_back: 0,
        };
        while let Some(item) = reader.next().map_err(failed)? {
            match item {
                Item::Problem(problem) => import.problems.add(problem),
                Item::Header(record) => {
                    import.records += 1;
                    match record.fitted_header() {
                        Ok(Fitted { message, misfits }) => {
                            import.header_ns = message.created_at.map(|time| time.unix_nanos());
                            if !misfits.is_empty() {
                                import.problems.add(format!("fields of the header are not read: {misfits}"));
                            }
                        }
                        Err(error) => import.problems.add(format!("the header cannot be read: {error}")),
                    }
                    import.header = Some(record);
                }
                Item::Frame(record) => {
                    progress(record.offset.min(source.bytes));
                    import.take(&record, out)?;
                }
            }
        }
        import.finish(source, reader.is_packed(), out)
    }
}

struct Importing {
    streams: EchoStreams,
    problems: Problems,
    maker: Maker,
    header_ns: Option<i128>,
    /// UTC of the first frame, which is the start of the tape; UTC of the header if frames have no timestamps.
    start_ns: Option<i128>,
    /// The header, until the tape begins.
    header: Option<RawRecord>,
    records: u64,
    frames: u32,
    went_back: u64,
}

impl Importing {
    fn begin(&mut self, first_ns: Option<i128>, out: &mut dyn Out) -> Result<i128, ImportError> {
        if let Some(start_ns) = self.start_ns {
            return Ok(start_ns);
        }
        let start_ns = first_ns.or(self.header_ns).unwrap_or_default();
        let known = first_ns.or(self.header_ns).and_then(|ns| i64::try_from(ns).ok());
        self.start_ns = Some(start_ns);
        out.begin(known)?;
        if let Some(header) = self.header.take() {
            self.streams.keep(out, Kept::Header, 0, &header.bytes, header.offset)?;
        }
        Ok(start_ns)
    }

    fn take(&mut self, record: &RawRecord, out: &mut dyn Out) -> Result<(), ImportError> {
        self.records += 1;
        let frame_index = self.frames;
        self.frames = self.frames.saturating_add(1);
        let read = record.fitted_frame().map(|Fitted { message, misfits }| {
            if !misfits.is_empty() {
                let offset = record.offset;
                self.problems.add(format!("fields of the frame at {offset} of the stream are not read: {misfits}"));
            }
            message
        });
        let frame = match read {
            Ok(LobbySessionStateFrame { session: Some(session), player_bones, timestamp, .. }) => {
                (session, player_bones, timestamp)
            }
            Ok(_) => return self.keep_extra(record, "has no answer", out),
            Err(error) => return self.keep_extra(record, &error.to_string(), out),
        };
        let (session, player_bones, timestamp) = frame;
        let utc_ns = timestamp.map(|time| time.unix_nanos());
        let start_ns = self.begin(utc_ns, out)?;
        let since = utc_ns.map_or(i128::from(self.streams.time_ns), |ns| ns - start_ns);
        self.went_back += u64::from(since < i128::from(self.streams.time_ns));
        let time_ns = self.streams.time_for(u64::try_from(since.max(0)).unwrap_or(u64::MAX >> 1).min(u64::MAX >> 1));
        let session = write_session(&session, Keys::ALL);
        let bones = player_bones.map(|bones| write_player_bones(&bones));
        let (session, bones) = (session.as_bytes(), bones.as_deref().map(str::as_bytes));
        let number = self.streams.answers;
        self.streams.session(out, time_ns, session, record.offset)?;
        bones.map(|bones| self.streams.player_bones(out, bones, record.offset)).transpose()?;
        let made = self.maker.first_version(frame_index, start_ns + i128::from(time_ns), session, bones);
        if made.is_some_and(|made| nevrcap::frame_bytes(&made) == record.bytes) {
            return Ok(());
        }
        self.streams.keep(out, Kept::Instead, number, &record.bytes, record.offset)
    }

    fn keep_extra(&mut self, record: &RawRecord, why: &str, out: &mut dyn Out) -> Result<(), ImportError> {
        self.begin(None, out)?;
        self.problems.add(format!("the frame at {} of the stream is kept as it is: {why}", record.offset));
        self.streams.keep(out, Kept::Extra, self.streams.answers, &record.bytes, record.offset)
    }

    fn finish(mut self, source: &Source, packed: bool, out: &mut dyn Out) -> Result<Found, ImportError> {
        if self.streams.answers == 0 {
            return Err(CaptureError::NoFrames { records: self.records }.into());
        }
        if self.went_back > 0 {
            self.problems
                .add(format!("the time goes back in {} frames: they stand at the time before it", self.went_back));
        }
        self.streams.tell_facts(out)?;
        out.metadata(ANSWERS, &self.streams.answers.to_string())?;
        out.metadata(LAYOUT, if packed { "stream" } else { "plain" })?;
        out.metadata("capture_kept_records", &self.streams.instead.to_string())?;
        let found = Found { frames: self.streams.answers, problems: self.problems.list() };
        tell_source_at(out, source, Kind::Nevrcap, IMPORTER, "source", &self.problems, self.streams.time_ns)?;
        Ok(found)
    }
}
