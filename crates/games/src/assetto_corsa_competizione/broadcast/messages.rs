//! What the game sends: seven kinds of messages, each a datagram.
//!
//! A message is a byte for its kind and fields without padding, little endian. A text is its length in bytes as `u16` and UTF-8. Parsing is strict:
//! every field has to be there and nothing may follow the last one. Texts and lists are not copied.
use super::lap::LapRecord;
use super::reader::Reader;

/// Most cars in an entry list. Servers accept fewer than 100.
const MOST_CARS: u16 = 512;

/// A message of the game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Message<'a> {
    /// The game accepted or refused a client.
    Registration(Registration<'a>),
    /// State of the session.
    Update(Update<'a>),
    /// State of a car.
    CarUpdate(CarUpdate),
    /// Which cars take part.
    EntryList(EntryList<'a>),
    /// The track.
    TrackData(TrackData<'a>),
    /// A car and its drivers.
    EntryListCar(EntryListCar<'a>),
    /// Something happened.
    Event(Event<'a>),
}

impl<'a> Message<'a> {
    /// Parses a datagram; `None` if it is not a message of the game.
    #[must_use]
    pub fn parse(datagram: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(datagram);
        let message = match reader.u8()? {
            1 => Self::Registration(Registration::read(&mut reader)?),
            2 => Self::Update(Update::read(&mut reader)?),
            3 => Self::CarUpdate(CarUpdate::read(&mut reader)?),
            4 => Self::EntryList(EntryList::read(&mut reader)?),
            5 => Self::TrackData(TrackData::read(&mut reader)?),
            6 => Self::EntryListCar(EntryListCar::read(&mut reader)?),
            7 => Self::Event(Event::read(&mut reader)?),
            _ => return None,
        };
        reader.end().map(|()| message)
    }
}

/// Result of a registration (1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Identifies the client in its requests.
    pub connection: i32,
    /// Whether the client gets messages.
    pub success: bool,
    /// Whether the client may send commands. A recorder never does.
    pub may_command: bool,
    /// Why not. A wrong command password leads to a text, too.
    pub error: &'a str,
}

impl<'a> Registration<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        Some(Self {
            connection: connection(reader)?,
            success: reader.flag()?,
            may_command: reader.flag()?,
            error: reader.text()?,
        })
    }

    /// Parses a datagram that may have more bytes than the message: a client must not miss the response to its registration.
    pub(super) fn begins(datagram: &'a [u8]) -> Option<Self> {
        let mut reader = Reader(datagram);
        (reader.u8()? == 1).then(|| Self::read(&mut reader))?
    }
}

/// State of the session (2), once in each interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update<'a> {
    /// Index of the race weekend.
    pub event_index: u16,
    /// Index of the session in the weekend.
    pub session_index: u16,
    /// Kind of session, see [`session_name`](super::session_name).
    pub session_type: u8,
    /// Phase of the session: 5 while it runs, 8 when its results are shown.
    pub phase: u8,
    /// Time since the start of the session. Stops in a pause.
    pub session_ms: f32,
    /// Time until the end of the session.
    pub remaining_ms: f32,
    /// Index of the car that the camera shows.
    pub focused_car: i32,
    /// Set of cameras.
    pub camera_set: &'a str,
    /// Camera.
    pub camera: &'a str,
    /// Page of the head-up display.
    pub hud_page: &'a str,
    /// The replay that is shown.
    pub replay: Option<Replay>,
    /// Time of day in the game world.
    pub time_of_day_s: f32,
    /// Air temperature.
    pub air_celsius: u8,
    /// Temperature of the track.
    pub track_celsius: u8,
    /// Clouds, 0 to 10.
    pub clouds: u8,
    /// Rain, 0 to 10.
    pub rain: u8,
    /// Wetness of the track, 0 to 10.
    pub wetness: u8,
    /// Best lap of the session.
    pub best_lap: LapRecord,
}

/// A replay that is shown instead of the session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Time in the session.
    pub session_ms: f32,
    /// Time until the end of the replay.
    pub remaining_ms: f32,
}

impl<'a> Update<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        Some(Self {
            event_index: reader.u16()?,
            session_index: reader.u16()?,
            session_type: reader.u8()?,
            phase: reader.u8()?,
            session_ms: reader.f32()?,
            remaining_ms: reader.f32()?,
            focused_car: reader.i32()?,
            camera_set: reader.text()?,
            camera: reader.text()?,
            hud_page: reader.text()?,
            replay: match reader.flag()? {
                true => Some(Replay { session_ms: reader.f32()?, remaining_ms: reader.f32()? }),
                false => None,
            },
            time_of_day_s: reader.f32()?,
            air_celsius: reader.u8()?,
            track_celsius: reader.u8()?,
            clouds: reader.u8()?,
            rain: reader.u8()?,
            wetness: reader.u8()?,
            best_lap: LapRecord::read(reader)?,
        })
    }
}

/// State of a car (3), for each car once in each interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarUpdate {
    /// Index of the car.
    pub car: u16,
    /// Index of the driver in the car.
    pub driver: u16,
    /// Number of drivers.
    pub drivers: u8,
    /// Gear: -1 reverse, 0 neutral.
    pub gear: i8,
    /// Position on the ground plane.
    pub world_m: [f32; 2],
    /// Heading.
    pub yaw_rad: f32,
    /// 1 track, 2 pit lane, 3 pit entry, 4 pit exit.
    pub location: u8,
    /// Speed.
    pub speed_kmh: u16,
    /// Position in the session, from 1.
    pub position: u16,
    /// Position among the cars of the same cup category, from 1.
    pub cup_position: u16,
    /// Position on the track. 0 in many sessions.
    pub track_position: u16,
    /// Fraction of the lap, 0 to 1.
    pub lap_fraction: f32,
    /// Completed laps.
    pub laps: u16,
    /// Difference of the current lap to the best lap of the session.
    pub delta_ms: i32,
    /// Best lap in the session.
    pub best_lap: LapRecord,
    /// Last lap.
    pub last_lap: LapRecord,
    /// Current lap. Has the splits of the sectors that have ended.
    pub current_lap: LapRecord,
}

impl CarUpdate {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            car: reader.u16()?,
            driver: reader.u16()?,
            drivers: reader.u8()?,
            gear: i8::try_from(i16::from(reader.u8()?) - 2).ok()?,
            world_m: [reader.f32()?, reader.f32()?],
            yaw_rad: reader.f32()?,
            location: reader.u8()?,
            speed_kmh: reader.u16()?,
            position: reader.u16()?,
            cup_position: reader.u16()?,
            track_position: reader.u16()?,
            lap_fraction: reader.f32()?,
            laps: reader.u16()?,
            delta_ms: reader.i32()?,
            best_lap: LapRecord::read(reader)?,
            last_lap: LapRecord::read(reader)?,
            current_lap: LapRecord::read(reader)?,
        })
    }
}

/// Which cars take part (4), on request. An [`EntryListCar`] follows for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryList<'a> {
    /// The client that requested it.
    pub connection: i32,
    cars: &'a [u8],
}

impl<'a> EntryList<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let (connection, count) = (connection(reader)?, reader.u16()?);
        let cars = reader.bytes_of(|reader| (0..count).try_for_each(|_| reader.u16().map(drop)))?;
        (count <= MOST_CARS).then_some(Self { connection, cars })
    }

    /// Returns the indices of the cars, in the order of the message.
    pub fn cars(self) -> impl Iterator<Item = u16> + 'a {
        self.cars.as_chunks::<2>().0.iter().map(|index| u16::from_le_bytes(*index))
    }
}

/// The track (5), on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackData<'a> {
    /// The client that requested it.
    pub connection: i32,
    /// Name of the track.
    pub name: &'a str,
    /// The game's number of the track.
    pub track: i32,
    /// Length of a lap.
    pub length_m: i32,
    camera_sets: &'a [u8],
    hud_pages: &'a [u8],
}

impl<'a> TrackData<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let (connection, name) = (connection(reader)?, reader.text()?);
        let (track, length_m) = (reader.i32()?, reader.i32()?);
        let sets = reader.u8()?;
        let set = |reader: &mut Reader<'a>| {
            reader.text()?;
            (0..reader.u8()?).try_for_each(|_| reader.text().map(drop))
        };
        let camera_sets = reader.bytes_of(|reader| (0..sets).try_for_each(|_| set(reader)))?;
        let pages = reader.u8()?;
        let hud_pages = reader.bytes_of(|reader| (0..pages).try_for_each(|_| reader.text().map(drop)))?;
        Some(Self { connection, name, track, length_m, camera_sets, hud_pages })
    }

    /// Returns the sets of cameras and the names of the cameras in each.
    pub fn camera_sets(self) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
        let mut reader = Reader(self.camera_sets);
        std::iter::from_fn(move || {
            let (set, cameras) = (reader.text()?, reader.u8()?);
            Some((set, (0..cameras).map_while(|_| reader.text()).collect()))
        })
    }

    /// Returns the pages of the head-up display.
    pub fn hud_pages(self) -> impl Iterator<Item = &'a str> {
        let mut reader = Reader(self.hud_pages);
        std::iter::from_fn(move || reader.text())
    }
}

/// A car and its drivers (6), after an [`EntryList`] and when drivers change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryListCar<'a> {
    /// Index of the car.
    pub car: u16,
    /// The game's number of the car model.
    pub model: u8,
    /// Team.
    pub team: &'a str,
    /// Start number.
    pub race_number: i32,
    /// Cup category, see [`cup_name`](super::cup_name).
    pub cup: u8,
    /// Index of the driver who drives.
    pub current_driver: u8,
    /// The game's number of the team's nationality.
    pub nationality: u16,
    driver_count: u8,
    drivers: &'a [u8],
}

impl<'a> EntryListCar<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let (car, model, team, race_number) = (reader.u16()?, reader.u8()?, reader.text()?, reader.i32()?);
        let (cup, current_driver, nationality) = (reader.u8()?, reader.u8()?, reader.u16()?);
        let driver_count = reader.u8()?;
        let read_all = |reader: &mut Reader<'a>| (0..driver_count).try_for_each(|_| Driver::read(reader).map(drop));
        let drivers = reader.bytes_of(read_all)?;
        Some(Self { car, model, team, race_number, cup, current_driver, nationality, driver_count, drivers })
    }

    /// Returns the drivers.
    pub fn drivers(self) -> impl Iterator<Item = Driver<'a>> {
        let mut reader = Reader(self.drivers);
        std::iter::from_fn(move || Driver::read(&mut reader))
    }

    /// Returns the number of drivers.
    #[must_use]
    pub fn driver_count(self) -> u8 {
        self.driver_count
    }
}

/// A driver of a car.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driver<'a> {
    /// First name.
    pub first_name: &'a str,
    /// Last name.
    pub last_name: &'a str,
    /// Abbreviation.
    pub short_name: &'a str,
    /// 0 bronze, 1 silver, 2 gold, 3 platinum.
    pub category: u8,
    /// The game's number of the nationality.
    pub nationality: u16,
}

impl<'a> Driver<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        Some(Self {
            first_name: reader.text()?,
            last_name: reader.text()?,
            short_name: reader.text()?,
            category: reader.u8()?,
            nationality: reader.u16()?,
        })
    }
}

/// Something that happened (7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// 1 green flag, 2 session over, 3 penalty message, 4 accident, 5 lap completed, 6 best lap of the session, 7 best lap of the driver.
    pub kind: u8,
    /// The game's words, such as a lap time.
    pub text: &'a str,
    /// Time since the start of the session.
    pub session_ms: i32,
    /// Index of the car.
    pub car: i32,
}

impl<'a> Event<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        Some(Self { kind: reader.u8()?, text: reader.text()?, session_ms: reader.i32()?, car: reader.i32()? })
    }
}

/// Reads the number of a client. The game counts clients, so that a larger number means that it is another game's datagram.
fn connection(reader: &mut Reader<'_>) -> Option<i32> {
    const MOST_CONNECTIONS: i32 = 1 << 20;
    reader.i32().filter(|id| (0..MOST_CONNECTIONS).contains(id))
}
