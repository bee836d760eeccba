//! The structures of the page: where each field is in a version of the game.
//!
//! All offsets in this folder are those of version 3.5. Versions 2.6 to 2.16 have the same fields in the same order, with other gaps between them;
//! [`Structure::place`] translates.
use std::sync::LazyLock;

use super::tables::{BRAKE_TEMP, DRIVER, PAGE, TIRE_TEMP};
use crate::bytes::i32_at;
use crate::layout::records::{Records, layout, leaked};
use crate::layout::{Channel, Kind, Layout, LayoutError};

/// Offset of the tick of the physics in version 3.5.
pub(super) const TICK: u32 = 44;
/// Offset of the number of cars, right before the driver array.
pub(super) const NUM_CARS: u32 = 2008;
/// Entries of the driver array.
pub(super) const DRIVERS: u32 = 128;
const DRIVERS_AT: u32 = 2012;

/// A structure whose fields are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// 3.4 and 3.5.
    Version3,
    /// 2.6 to 2.16.
    Version2,
}

/// What the page says about its own structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SelfDescription {
    pub(super) major: i32,
    pub(super) minor: i32,
    /// Offset of the number of cars.
    array_at: u32,
    entry_bytes: u32,
}

impl SelfDescription {
    /// Reads it; `None` if the numbers cannot be those of this game.
    pub(super) fn of(page: &[u8]) -> Option<Self> {
        let number = |at| i32_at(page, at);
        let (major, minor) = (number(0)?, number(4)?);
        let array_at = u32::try_from(number(8)?).ok().filter(|at| (256..=16_384).contains(at) && at % 4 == 0)?;
        let entry_bytes = u32::try_from(number(12)?).ok().filter(|bytes| (64..=4_096).contains(bytes))?;
        ((1..=99).contains(&major) && (0..=999).contains(&minor)).then_some(Self {
            major,
            minor,
            array_at,
            entry_bytes,
        })
    }

    /// Returns the length of the page.
    pub(super) fn page_bytes(self) -> u32 {
        self.array_at + 4 + self.entry_bytes * DRIVERS
    }

    /// Returns the structure, if its fields are known.
    pub(super) fn structure(self) -> Option<Structure> {
        [Structure::Version3, Structure::Version2].into_iter().find(|known| {
            let entry_bytes = known.entry_bytes();
            (self.major, Some(self.array_at), self.entry_bytes) == (known.major(), known.place(NUM_CARS), entry_bytes)
        })
    }
}

impl Structure {
    fn major(self) -> i32 {
        match self {
            Self::Version3 => 3,
            Self::Version2 => 2,
        }
    }

    /// Returns the length of a driver entry.
    pub(super) fn entry_bytes(self) -> u32 {
        match self {
            Self::Version3 => 328,
            Self::Version2 => 292,
        }
    }

    /// Returns the offset of the driver array.
    pub(super) fn drivers_at(self) -> u32 {
        match self {
            Self::Version3 => DRIVERS_AT,
            Self::Version2 => DRIVERS_AT - 68,
        }
    }

    /// Returns where a field is; `None` if this version does not have it.
    pub(super) fn place(self, offset: u32) -> Option<u32> {
        match self {
            Self::Version3 => Some(offset),
            Self::Version2 => Some(match offset {
                0..16 => offset,
                20..36 => offset - 4,
                44..600 => offset - 8,
                600..836 => offset - 24,
                836..904 => offset - 28,
                904..1180 => offset - 32,
                1196..1308 => offset - 40,
                1324..1468 => offset - 56,
                1480..1624 | 1628..DRIVERS_AT => offset - 68,
                _ => return None,
            }),
        }
    }

    /// Returns where a field of a driver entry is.
    pub(super) fn place_of_driver(self, offset: u32) -> Option<u32> {
        match self {
            Self::Version3 => Some(offset),
            Self::Version2 => Some(match offset {
                0..112 => offset,
                128..144 => offset - 16,
                148..288 => offset - 20,
                292..328 => offset - 24,
                _ => return None,
            }),
        }
    }

    fn layout(self) -> Result<Layout, LayoutError> {
        let (id, frame_bytes) = match self {
            Self::Version3 => ("raceroom-43996", 43_996),
            Self::Version2 => ("raceroom-39320", 39_320),
        };
        let moved =
            |channel: &Channel, offset: Option<u32>| Some(self.as_then(Channel { offset: offset?, ..channel.clone() }));
        let page = PAGE.iter().filter_map(|channel| moved(channel, self.place(channel.offset)));
        let drivers = DRIVER.iter().filter_map(|channel| moved(channel, self.place_of_driver(channel.offset)));
        let at = |offset| self.place(offset).unwrap_or_default();
        let arrays = [
            Records::of("tire_temp", at(1744), 24, 4, TIRE_TEMP),
            Records::of("brake_temp", at(1856), 16, 4, BRAKE_TEMP),
            Records {
                name: "all_drivers_data_1",
                offset: self.drivers_at(),
                bytes: self.entry_bytes(),
                count: DRIVERS,
                channels: drivers.collect(),
            },
        ];
        layout(id, frame_bytes, page, &arrays)
    }

    /// Returns a channel as this version has it.
    fn as_then(self, channel: Channel) -> Channel {
        match (self, channel.name.as_ref()) {
            (Self::Version2, "pit_menu_state") => Channel { count: 11, ..channel },
            (Self::Version2, "engine_temp") => Channel { name: "engine_water_temp".into(), ..channel },
            (Self::Version2, name) if name.starts_with("penalties.") => Channel { kind: Kind::I32, ..channel },
            _ => channel,
        }
    }
}

/// Returns the layouts, newest first.
pub(super) fn layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> =
        LazyLock::new(|| leaked([Structure::Version3, Structure::Version2].map(Structure::layout)));
    &LAYOUTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_structures_have_a_layout_and_describe_themselves() {
        let lengths: Vec<u32> = layouts().iter().map(|layout| layout.frame_bytes()).collect();
        assert_eq!(lengths, [43_996, 39_320]);
        for (structure, layout) in [Structure::Version3, Structure::Version2].into_iter().zip(layouts()) {
            let mut page = vec![0; layout.frame_bytes() as usize];
            let array_at = structure.place(NUM_CARS).unwrap();
            for (at, number) in [(0, structure.major()), (8, array_at as i32), (12, structure.entry_bytes() as i32)] {
                page[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            let said = SelfDescription::of(&page).unwrap();
            assert_eq!((said.page_bytes(), said.structure()), (layout.frame_bytes(), Some(structure)));
        }
    }

    #[test]
    fn fields_of_version_2_are_where_its_header_file_has_them() {
        let layout = layouts()[1];
        for (name, offset) in [
            ("game_paused", 16),
            ("game_using_vr", 28),
            ("player.game_simulation_ticks", 36),
            ("track_name", 576),
            ("max_incident_points", 800),
            ("pit_window_status", 808),
            ("pit_menu_selection", 824),
            ("pit_menu_state", 828),
            ("pit_state", 872),
            ("pit_min_duration_left", 896),
            ("flags.yellow", 900),
            ("position", 956),
            ("penalties.drive_through", 972),
            ("completed_laps", 996),
            ("lap_valid_state", 1144),
            ("vehicle_info.name", 1156),
            ("player_name", 1268),
            ("control_type", 1332),
            ("fuel_per_lap", 1408),
            ("engine_water_temp", 1412),
            ("headlights", 1552),
            ("tire_type", 1560),
            ("car_damage.engine", 1916),
            ("num_cars", 1940),
            ("all_drivers_data_1[0].driver_info.name", 1944),
            ("all_drivers_data_1[1].finish_status", 1944 + 292 + 112),
            ("all_drivers_data_1[1].position", 1944 + 292 + 128),
            ("all_drivers_data_1[1].lap_time_current_self", 1944 + 292 + 152),
            ("all_drivers_data_1[1].sector_time_best_self", 1944 + 292 + 180),
            ("all_drivers_data_1[1].car_speed", 1944 + 292 + 232),
            ("all_drivers_data_1[1].penaltyType", 1944 + 292 + 268),
            ("all_drivers_data_1[127].orientation", 1944 + 127 * 292 + 280),
        ] {
            assert_eq!(layout.channel(name).unwrap().offset, offset, "{name}");
        }
        assert!(layout.channel("all_drivers_data_1[0].lap_distance_fraction").is_none());
        assert_eq!(layout.channel("penalties.slow_down").unwrap().kind, Kind::I32);
    }

    #[test]
    fn other_versions_are_known_by_their_length_only() {
        let mut page = vec![0; 64];
        for (at, number) in [(0, 3), (4, 3), (8, 2000), (12, 328)] {
            page[at..at + 4].copy_from_slice(&i32::to_le_bytes(number));
        }
        let said = SelfDescription::of(&page).unwrap();
        assert_eq!((said.page_bytes(), said.structure()), (43_988, None));
        page[8..12].copy_from_slice(&i32::MAX.to_le_bytes());
        assert_eq!(SelfDescription::of(&page), None);
        assert_eq!(SelfDescription::of(&[0; 64]), None);
    }
}
