//! `SIMAPI.DAT`: a game-independent shared memory file for programs on Linux.
//!
//! Decodes the frames that are shown and writes the values. Only fields with a known offset and meaning are written; the others
//! stay 0.
//!
//! ```text
//!     0 mtick u64      16 status u32    20 velocity u32   24 rpms u32     28 gear u32     36 maxrpm u32
//!    52 lap u32        56 position u32  68 numcars u32    72 gearc[3]    124 gas f64     132 brake f64
//!   140 fuel f64      156 clutch f64   164 steer f64     380 x, y, z f64 404 brake temperatures f64[4]
//!   468 tyre temperatures f64[4]       851 car[128]      979 track[128]
//! 46032 Steam id u64  46040 on u8      46041 version u8                                        46044 bytes
//! ```
use std::time::Duration;

use crate::games::{About, Decode, Game, Sample, Seen, SeenFrame};
use crate::sys::Prefix;
use crate::transport::StageError;
use crate::transport::shared_memory::OwnedSection;
use crate::transport::shared_memory::running_game::Beside;

const NAME: &str = "SIMAPI.DAT";
const BYTES: usize = 46_044;
/// The fields that change with each frame are at the start.
const FRONT_BYTES: usize = 1364;
const STATUS_AT: usize = 16;
const ON_AT: usize = 46_040;
const ACTIVE: u32 = 2;
const VERSION: u8 = 1;
const TEXT_BYTES: usize = 128;

/// Steam app ids of the games that such programs support.
const STEAM_IDS: [(&str, u64); 4] = [
    ("assetto-corsa", 244_210),
    ("assetto-corsa-competizione", 805_550),
    ("assetto-corsa-evo", 3_058_630),
    ("assetto-corsa-rally", 3_917_090),
];

/// The counter that a program increments when it writes the file.
pub(super) const COUNTER: Beside = (NAME, 0, 8);

/// The file and its current sample.
pub(super) struct SimApi {
    section: OwnedSection,
    bytes: Vec<u8>,
    decoder: Box<dyn Decode>,
    game: &'static Game,
    sample: Sample,
    max_rpm: Option<i64>,
    tick: u64,
}

impl SimApi {
    /// Creates the file, with no game running.
    pub(super) fn open(game: &'static Game, prefix: &Prefix, patience: Duration) -> Result<Self, StageError> {
        let section = OwnedSection::claim(prefix.section(NAME), BYTES as u64, patience)?;
        let mut bytes = vec![0; BYTES];
        let steam_id = STEAM_IDS.iter().find(|(id, _)| *id == game.id).map_or(0, |(_, number)| *number);
        put(&mut bytes, 46_032, &steam_id.to_le_bytes());
        put(&mut bytes, ON_AT, &[0, VERSION]);
        section.write(0, &bytes)?;
        let decoder = game.rules.decoder();
        Ok(Self { section, bytes, decoder, game, sample: Sample::default(), max_rpm: None, tick: 0 })
    }

    /// Decodes a frame and writes the values.
    pub(super) fn show(&mut self, frame: SeenFrame<'_>) -> Result<(), StageError> {
        self.decoder.frame(frame, &mut self.sample);
        if frame.stream == "static" || frame.stream == "session-text" {
            self.max_rpm = frame.integer("maxRpm").or(self.max_rpm);
            self.tell_about(&self.game.rules.about(Seen(&[frame])));
        }
        self.fill();
        self.section.write(0, self.bytes.get(..FRONT_BYTES).unwrap_or_default())?;
        if self.bytes.get(ON_AT) == Some(&0) {
            put(&mut self.bytes, ON_AT, &[1]);
            self.section.write(ON_AT as u64, &[1])?;
        }
        Ok(())
    }

    /// Marks the game as not running; otherwise clients would consider it running forever.
    pub(super) fn leave(&self) -> Result<(), StageError> {
        self.section.write(ON_AT as u64, &[0])?;
        self.section.write(STATUS_AT as u64, &[0; 4])
    }

    /// Removes the file if this player created it.
    pub(super) fn remove(self) -> Result<(), StageError> {
        self.section.remove()
    }

    fn tell_about(&mut self, about: &About) {
        for (at, text) in [(851, &about.car), (979, &about.track)] {
            let text = text.as_deref().unwrap_or_default().as_bytes();
            let mut room = [0; TEXT_BYTES];
            room.iter_mut().take(TEXT_BYTES - 1).zip(text).for_each(|(to, from)| *to = *from);
            put(&mut self.bytes, at, &room);
        }
    }

    fn fill(&mut self) {
        self.tick += 1;
        let (sample, bytes) = (&self.sample, &mut self.bytes);
        put(bytes, 0, &self.tick.to_le_bytes());
        let whole = |value: Option<f32>| value.unwrap_or_default().max(0.0) as u32;
        // In the file, reverse is 0 and neutral 1.
        let gear = sample.gear.map_or(1, |gear| u32::try_from(i32::from(gear) + 1).unwrap_or_default());
        let numbers = [
            (STATUS_AT, ACTIVE),
            (20, whole(sample.speed_kmh)),
            (24, whole(sample.rpm)),
            (28, gear),
            (36, self.max_rpm.and_then(|rpm| u32::try_from(rpm).ok()).unwrap_or_default()),
            (52, sample.laps_completed.map_or(0, |laps| laps.saturating_add(1))),
            (56, sample.race_position.map_or(0, u32::from)),
            (68, sample.car_count.map_or(0, u32::from)),
        ];
        numbers.iter().for_each(|(at, number)| put(bytes, *at, &number.to_le_bytes()));
        let letter = match gear {
            0 => b'R',
            1 => b'N',
            gear => b'0' + u8::try_from(gear - 1).unwrap_or_default().min(9),
        };
        put(bytes, 72, &[letter, 0, 0]);
        let real = |value: Option<f32>| f64::from(value.unwrap_or_default());
        let world = sample.world_m.unwrap_or_default();
        let front = [sample.throttle, sample.brake, sample.fuel_l].into_iter().zip([124, 132, 140]);
        let more = [sample.clutch, sample.steering].into_iter().zip([156, 164]);
        let place = world.map(Some).into_iter().zip([380, 388, 396]);
        let wheels = sample.wheels.iter().enumerate().flat_map(|(index, wheel)| {
            [(wheel.brake_celsius, 404 + 8 * index), (wheel.tyre_core_celsius, 468 + 8 * index)]
        });
        for (value, at) in front.chain(more).chain(place).chain(wheels) {
            put(bytes, at, &real(value).to_le_bytes());
        }
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}
