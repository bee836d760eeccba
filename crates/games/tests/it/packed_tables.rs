//! Tables of frames without padding: lengths as documented by the games' developers, and values of real packets.
#![allow(clippy::unwrap_used)]
use crate::support;

use gametape_games::{Kind, Layout, f1, trackmania, war_thunder};

/// Length of a whole datagram by packet id, in the formats 2022 to 2026; 0 if there is none.
const F1_BYTES: [[u32; 5]; 17] = [
    [1464, 1349, 1349, 1349, 1325],
    [632, 644, 753, 753, 926],
    [972, 1131, 1285, 1285, 1399],
    [40, 45, 45, 45, 45],
    [1257, 1306, 1350, 1284, 1470],
    [1102, 1107, 1133, 1133, 1233],
    [1347, 1352, 1352, 1352, 1448],
    [1058, 1239, 1239, 1239, 1445],
    [1015, 1020, 1020, 1042, 1134],
    [1191, 1218, 1306, 954, 1062],
    [948, 953, 953, 1041, 1133],
    [1155, 1460, 1460, 1460, 1460],
    [0, 231, 231, 231, 231],
    [0, 217, 237, 273, 273],
    [0, 0, 101, 101, 104],
    [0, 0, 0, 1131, 1231],
    [0, 0, 0, 0, 269],
];

#[test]
fn every_f1_packet_is_as_long_as_its_makers_say() {
    for (id, formats) in (0..).zip(F1_BYTES) {
        for (format, bytes) in (2022..).zip(formats) {
            let layout = f1::packet_layout(format, id);
            assert_eq!(layout.map_or(0, Layout::frame_bytes), bytes, "format {format}, packet {id}");
            assert!(f1::packet_name(id).is_some());
        }
        assert!(f1::packet_layout(2021, id).is_none() && f1::packet_layout(2027, id).is_none());
    }
    assert!(f1::packet_layout(2026, 17).is_none() && f1::packet_name(17).is_none());
}

#[test]
fn f1_fields_stand_where_they_are_documented() {
    let at = |format, id, name: &str| {
        let channel = f1::packet_layout(format, id).unwrap().channel(name).cloned();
        channel.map(|channel| (channel.offset, channel.kind, channel.count)).unwrap()
    };
    assert_eq!(at(2022, 0, "packetId"), (5, Kind::U8, 1));
    assert_eq!(at(2023, 0, "packetId"), (6, Kind::U8, 1));
    assert_eq!(at(2022, 0, "frontWheelsAngle"), (1460, Kind::F32, 1));
    assert_eq!(at(2022, 1, "timeOfDay"), (627, Kind::U32, 1));
    assert_eq!(at(2023, 2, "lapData[21].pitStopShouldServePen"), (29 + 21 * 50 + 49, Kind::U8, 1));
    assert_eq!(at(2024, 1, "sector3LapDistanceStart"), (749, Kind::F32, 1));
    assert_eq!(at(2024, 14, "rivalDataSet.valid"), (77 + 23, Kind::U8, 1));
    assert_eq!(at(2025, 4, "participants[1].liveryColours[3].blue"), (30 + 57 + 45 + 9 + 2, Kind::U8, 1));
    assert_eq!(at(2025, 4, "participants[0].name"), (37, Kind::Char, 32));
    assert_eq!(at(2025, 11, "tyreStintsHistoryData[7].tyreVisualCompound"), (1459, Kind::U8, 1));
    assert_eq!(at(2025, 13, "wheelCamberGain"), (257, Kind::F32, 4));
    assert_eq!(at(2026, 0, "carMotionData[23].gForceVertical"), (29 + 23 * 54 + 40, Kind::I16, 1));
    assert_eq!(at(2026, 1, "activeAeroTrackStatus"), (753, Kind::U8, 1));
    assert_eq!(at(2026, 1, "DRSZones[3].end"), (885 + 3 * 8 + 4, Kind::F32, 1));
    assert_eq!(at(2026, 1, "startReactionTime"), (917, Kind::F32, 1));
    assert_eq!(at(2026, 1, "recurringRewindPrompt"), (925, Kind::U8, 1));
    assert_eq!(at(2026, 2, "timeTrialRivalCarIdx"), (1398, Kind::U8, 1));
    assert_eq!(at(2026, 4, "participants[1].teamId"), (30 + 60 + 5, Kind::U16, 1));
    assert_eq!(at(2026, 5, "nextFrontWingValue"), (1229, Kind::F32, 1));
    assert_eq!(at(2026, 6, "carTelemetryData[1].engineTemperature"), (29 + 59 + 38, Kind::U8, 1));
    assert_eq!(at(2026, 6, "suggestedGear"), (1447, Kind::I8, 1));
    assert_eq!(at(2026, 7, "carStatusData[0].ersHarvestLimitPerLap"), (29 + 50, Kind::F32, 1));
    assert_eq!(at(2026, 9, "lobbyPlayers[1].readyStatus"), (30 + 43 + 42, Kind::U8, 1));
    assert_eq!(at(2026, 14, "rivalDataSet.valid"), (79 + 24, Kind::U8, 1));
    assert_eq!(at(2026, 15, "positionForVehicleIdx"), (31, Kind::U8, 1200));
    assert_eq!(at(2026, 16, "carTelemetry2Data[23].isDrivingWrongWay"), (268, Kind::U8, 1));
}

#[test]
fn f1_headers_name_format_packet_and_game() {
    let mut header = [0; 29];
    header[..2].copy_from_slice(&2022u16.to_le_bytes());
    (header[5], header[6]) = (3, 9);
    assert_eq!(f1::format_and_packet_id(&header), Some((2022, 3)));
    header[..2].copy_from_slice(&2023u16.to_le_bytes());
    assert_eq!(f1::format_and_packet_id(&header), Some((2023, 9)));
    assert_eq!(f1::format_and_packet_id(&header[..6]), None);
    header[..2].copy_from_slice(&2018u16.to_le_bytes());
    header[3] = 7;
    assert_eq!(f1::format_and_packet_id(&header), Some((2018, 7)));
    assert_eq!(f1::game_id(2025).as_deref(), Some("f1-25"));
    assert_eq!((f1::game_id(0), f1::game_id(2100)), (None, None));
}

#[test]
fn other_tables_have_the_known_lengths_and_places() {
    let page = trackmania::telemetry_layout().unwrap();
    assert_eq!((page.frame_bytes(), page.channel("player.userName").unwrap().offset), (1652, 1368));
    assert_eq!(page.channel("vehicle.speed").map(|speed| (speed.offset, speed.kind)), Some((1244, Kind::U32)));
    let state = war_thunder::state_layout(296).unwrap();
    assert_eq!((state.frame_bytes(), state.channel("H").unwrap().offset), (296, 17));
    assert_eq!(state.channel("engine[3].compressorStage").unwrap().offset, 289);
    let state = war_thunder::state_layout(112).unwrap();
    assert_eq!((state.frame_bytes(), state.channel("time").unwrap().offset), (112, 104));
    assert!(war_thunder::state_layout(113).is_none());
}

#[test]
fn real_f1_datagrams_fit_their_tables() {
    let Some(data) = support::real_data("real_f1_datagrams_fit_their_tables") else { return };
    let mut seen = 0;
    for year in [2023, 2024, 2025] {
        for entry in std::fs::read_dir(data.join("f1-udp/gamesdat").join(year.to_string())).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let (format, id) = f1::format_and_packet_id(&bytes).unwrap();
            assert_eq!(format, year);
            assert_eq!(f1::packet_layout(format, id).unwrap().frame_bytes() as usize, bytes.len());
            seen += 1;
        }
    }
    assert_eq!(seen, 55);
    let bytes = std::fs::read(data.join("f1-udp/gamesdat/2025/packet-6.bin")).unwrap();
    let layout = f1::packet_layout(2025, 6).unwrap();
    let at = |name: &str| &bytes[layout.channel(name).unwrap().offset as usize..];
    assert_eq!(at("playerCarIndex")[0], 19);
    let number = |name: &str| u16::from_le_bytes(*at(name).first_chunk().unwrap());
    assert_eq!((number("carTelemetryData[19].speed"), number("carTelemetryData[19].engineRPM")), (305, 10926));
    assert_eq!(at("carTelemetryData[19].gear")[0], 8);
    assert_eq!(f32::from_le_bytes(*at("carTelemetryData[19].throttle").first_chunk().unwrap()), 1.0);
}
