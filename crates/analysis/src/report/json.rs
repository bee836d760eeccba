//! A report as the JSON document that the web page reads.

use serde_json::{Value, json};

use super::{LapLines, Packed, TapeReport, TimeChannel, Weight};

impl TapeReport {
    /// Converts the report without copying large data.
    #[must_use]
    pub fn into_json(self) -> Value {
        json!({
            "from_ns": self.from_ns,
            "stretch_ns": self.stretch_ns,
            "stretches": self.stretches,
            "channels": self.channels.into_iter().map(channel).collect::<Vec<_>>(),
            "laps": self.laps.into_iter().map(lap).collect::<Vec<_>>(),
        })
    }
}

fn channel(channel: TimeChannel) -> Value {
    let weight = match channel.weight {
        Weight::Core => "core",
        Weight::Neutral => "neutral",
        Weight::Other => "other",
    };
    let mut value = packed(channel.values);
    if let Some(object) = value.as_object_mut() {
        object.extend([
            ("name".to_owned(), json!(channel.name)),
            ("unit".to_owned(), json!(channel.unit)),
            ("smooth".to_owned(), json!(channel.is_smooth)),
            ("weight".to_owned(), json!(weight)),
            ("shift".to_owned(), json!(channel.shift)),
        ]);
    }
    value
}

fn lap(lap: LapLines) -> Value {
    let metres = |place: f64| (place * 10.0).round() / 10.0;
    let corners: Vec<_> = lap.corners.into_iter().map(|corner| corner.map(metres)).collect();
    json!({
        "tape_lap": lap.tape_lap,
        "length_m": lap.length_m,
        "step_m": lap.step_m,
        "time_ms": packed(lap.time_ms),
        "channels": lap.channels.into_iter().map(|(name, values)| (name, packed(values))).collect::<serde_json::Map<_, _>>(),
        "corners": corners,
    })
}

fn packed(packed: Packed) -> Value {
    let Packed { first, step, count, width, data } = packed;
    let mut object = serde_json::Map::new();
    object.extend([
        ("first".to_owned(), json!(first)),
        ("step".to_owned(), json!(step)),
        ("count".to_owned(), json!(count)),
        ("width".to_owned(), json!(width)),
        ("data".to_owned(), Value::String(data)),
    ]);
    Value::Object(object)
}
