//! Makes lap files as other loggers write them.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::fmt::Write as _;

/// A channel of a MoTeC log: name, unit, rate, type family, bytes per sample, shift, multiplier, scale, decimal places, samples.
pub struct Logged {
    pub name: &'static str,
    pub unit: &'static str,
    pub hz: u16,
    pub family: u16,
    pub size: u16,
    pub scaling: [i16; 4],
    pub samples: Vec<u8>,
}

/// A channel of scaled 16-bit integers.
pub fn logged(name: &'static str, unit: &'static str, hz: u16, decimals: i16, samples: &[i16]) -> Logged {
    let samples = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    Logged { name, unit, hz, family: 3, size: 2, scaling: [0, 1, 1, decimals], samples }
}

/// A `.ld` file.
pub fn motec(channels: &[Logged]) -> Vec<u8> {
    let mut file = vec![0; 1762];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    let records_at = 1762;
    let mut data_at = records_at + channels.len() * 124;
    put(0, &0x40u32.to_le_bytes());
    put(8, &(records_at as u32).to_le_bytes());
    put(12, &(data_at as u32).to_le_bytes());
    put(66, &1_000_000u32.to_le_bytes());
    put(74, b"ADL");
    put(86, &(channels.len() as u32).to_le_bytes());
    put(94, b"23/11/2025");
    put(126, b"09:53:00");
    put(158, b"Driver 1");
    put(222, b"Car A");
    put(350, b"Track B");
    let mut data = Vec::new();
    for (number, channel) in channels.iter().enumerate() {
        let at = records_at + number * 124;
        let next = if number + 1 < channels.len() { at + 124 } else { 0 };
        let previous = if number > 0 { at - 124 } else { 0 };
        let count = channel.samples.len() / usize::from(channel.size);
        let mut record = Vec::new();
        record.extend([previous, next, data_at, count].map(|number| (number as u32).to_le_bytes()).concat());
        record.extend([number as u16 + 1, channel.family, channel.size, channel.hz].map(u16::to_le_bytes).concat());
        record.extend(channel.scaling.map(i16::to_le_bytes).concat());
        for (text, room) in [(channel.name, 32), ("", 8), (channel.unit, 12)] {
            let mut field = text.as_bytes().to_vec();
            field.resize(room, 0);
            record.extend(field);
        }
        record.resize(124, 0);
        file.extend(record);
        data.extend_from_slice(&channel.samples);
        data_at += channel.samples.len();
    }
    file.extend(data);
    file
}

/// A log of a car that drives at 180 km/h for some seconds, with beacons at the line every `lap_s` seconds from second 5 on.
pub fn motec_stint(seconds: u16, lap_s: u16) -> Vec<u8> {
    let speed = vec![1800; usize::from(seconds) * 10];
    let throttle: Vec<i16> = (0..seconds * 20).map(|at| (at % 1000).cast_signed()).collect();
    let mut beacon = vec![0i16; usize::from(seconds)];
    for at in (5..seconds.saturating_sub(4)).step_by(usize::from(lap_s)) {
        // 250 ms after the second before the negative sample.
        beacon[usize::from(at)..][..4].copy_from_slice(&[-8725, 16_384 + 250, 16_384 + 250, 100]);
    }
    let gear = Logged {
        name: "Gear",
        unit: "",
        hz: 10,
        family: 7,
        size: 4,
        scaling: [0, 1, 1, 0],
        samples: (0..seconds * 10).flat_map(|at| f32::from(at / 50 % 6 + 1).to_le_bytes()).collect(),
    };
    let beacon = Logged { family: 0, ..logged("Beacon", "", 1, 0, &beacon) };
    motec(&[logged("Ground Speed", "km/h", 10, 1, &speed), logged("Throttle Pos", "%", 20, 1, &throttle), beacon, gear])
}

/// An `.ldx` file with markers at these seconds.
pub fn ldx(seconds: &[f64]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<LDXFile Locale=\"English_United States.1252\" DefaultLocale=\"C\" Version=\"1.6\">\n \
         <Layers>\n  <Layer>\n   <MarkerBlock>\n    <MarkerGroup Name=\"Beacons\" Index=\"3\">\n",
    );
    for (number, seconds) in seconds.iter().enumerate() {
        let us = seconds * 1e6;
        writeln!(
            text,
            "     <Marker Version=\"100\" ClassName=\"BCN\" Name=\"Manual.{number}\" Flags=\"77\" Time=\"{us:e}\"/>"
        )
        .unwrap();
    }
    text + "    </MarkerGroup>\n   </MarkerBlock>\n   <RangeBlock/>\n  </Layer>\n </Layers>\n</LDXFile>\n"
}

/// A RaceChrono session of format 3: laps of 60 s at 50 m/s, with the row that is inserted at each line.
pub fn racechrono(seconds: u32) -> String {
    let mut text = String::from(
        "This file is created using RaceChrono Pro v9.1.3 ( http://racechrono.com/ ).\r\nFormat,3\r\nSession title,\"A, B\"\r\n\
         Session type,Lap timing\r\nTrack name,\"Track B\"\r\nDriver name,Driver 1\r\nCreated,31/12/2025,02:54\r\nNote,\r\n\r\n\
         timestamp,fragment_id,lap_number,elapsed_time,distance_traveled,latitude,longitude,speed,speed,lateral_acc\r\n\
         unix time,,,s,m,deg,deg,m/s,m/s,G\r\n,,,,,100: gps,100: gps,100: gps,calc,calc\r\n",
    );
    for tenth in 0..seconds * 10 {
        let time_s = f64::from(tenth) / 10.0;
        let lap = |time_s: f64| {
            if time_s < 7.03 { String::new() } else { format!("{}", ((time_s - 7.03 + 1e-6) / 60.0) as u32 + 1) }
        };
        let mut row = |time_s: f64| {
            let (lat, lon) = (50.0 + (time_s / 9.55).sin() / 250.0, 8.0 + (time_s / 9.55).cos() / 250.0);
            let (unix, lap, way) = (1_767_150_797.0 + time_s, lap(time_s), time_s * 50.0);
            writeln!(text, "{unix:.3},0,{lap},{time_s:.5},{way:.3},{lat:.7},{lon:.7},50.0,,0.5\r").unwrap();
        };
        row(time_s);
        // The line is at 7.03 s, 67.03 s, …: the row inserted there has the number of the new lap.
        if tenth % 600 == 70 {
            row(time_s + 0.03);
        }
    }
    text
}

/// A `.vbo` file of a car on a circle of about 2.4 km, once a minute, with a start line at its easternmost point.
pub fn vbo(seconds: u32, is_packed: bool) -> String {
    let number = |degrees: f64| match is_packed {
        true => format!("{:+012.5}", degrees.trunc() * 100.0 + degrees.fract() * 60.0),
        false => format!("{:+012.5}", degrees * 60.0),
    };
    let mut text =
        String::from("File created on 31/07/2025 at 09:55:20\r\n\r\n[header]\r\nsatellites\r\ntime\r\n[laptiming]\r\n");
    // Longitudes are positive to the west.
    let ends = [-8.0045, 50.0, -8.0065, 50.0].map(number).join(" ");
    write!(text, "Start  {ends} line\r\n[column names]\r\nsats time lat long velocity heading height\r\n[data]\r\n")
        .unwrap();
    for tenth in 0..seconds * 10 {
        let time_s = f64::from(tenth) / 10.0;
        let turn = (time_s - 7.0) / 60.0 * std::f64::consts::TAU;
        let (lat, long) = (50.0 + turn.sin() * 0.0034, -(8.0 + turn.cos() * 0.0055));
        let (whole, rest) = (tenth / 10, tenth % 10);
        let clock = (23 * 3600 + 58 * 60 + whole) % 86_400;
        let time = format!("{:02}{:02}{:02}.{rest}0", clock / 3600, clock / 60 % 60, clock % 60);
        write!(text, "137 {time} {} {} 144.000 090.00 +00152.58\r\n", number(lat), number(long)).unwrap();
    }
    text
}

/// A lap of Garage 61: 60 rows per second.
pub fn garage61(rows: u32) -> String {
    let mut text = String::from(
        "Speed,LapDistPct,Lat,Lon,Brake,Throttle,RPM,SteeringWheelAngle,Gear,Clutch,ABSActive,DRSActive,LatAccel\n",
    );
    for row in 0..rows {
        let share = (f64::from(row) + 0.5) / f64::from(rows);
        writeln!(text, "50.0,{share:.6},50.0,8.0,0.0,0.75,7000.0,0.1,4,1.0,false,true,-9.80665").unwrap();
    }
    text
}

/// A GPX track with a point for each second.
pub fn gpx(seconds: u32) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"test\"><trk><name>Drive</name><trkseg>\n",
    );
    for second in 0..seconds {
        let lat = 50.0 + f64::from(second) * 0.0003;
        let (minute, second) = (second / 60, second % 60);
        writeln!(text, "<trkpt lat=\"{lat:.7}\" lon=\"8.0\"><ele>200.5</ele><time>2026-05-04T10:{minute:02}:{second:02}Z</time></trkpt>").unwrap();
    }
    text + "</trkseg></trk></gpx>\n"
}

/// An `.f1pcap` capture of these datagrams.
pub fn f1pcap(datagrams: &[Vec<u8>], is_packed: bool) -> Vec<u8> {
    let mut file = b"F1UDP\0".to_vec();
    file.extend([u8::from(is_packed), 0x80]);
    file.extend((datagrams.len() as u32).to_le_bytes());
    for datagram in datagrams {
        let bytes = match is_packed {
            true => {
                let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                std::io::Write::write_all(&mut zlib, datagram).unwrap();
                zlib.finish().unwrap()
            }
            false => datagram.clone(),
        };
        file.extend(1.767_15e9f32.to_le_bytes());
        file.extend((bytes.len() as u32).to_le_bytes());
        file.extend(bytes);
    }
    file
}

/// Datagrams of lap data of F1 24, 20 per second.
pub fn f1_datagrams(count: u32) -> Vec<Vec<u8>> {
    let layout = gametape::games::f1::packet_layout(2024, 2).unwrap();
    let at = |name: &str| layout.channel(name).unwrap().offset as usize;
    let datagram = |number: u32| {
        let mut bytes = vec![0; layout.frame_bytes() as usize];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &2024u16.to_le_bytes());
        put(at("packetId"), &[2]);
        put(at("sessionUID"), &7u64.to_le_bytes());
        put(at("sessionTime"), &(100.0 + number as f32 / 20.0).to_le_bytes());
        put(at("frameIdentifier"), &number.to_le_bytes());
        bytes
    };
    (0..count).map(datagram).collect()
}
