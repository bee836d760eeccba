//! Lists within one column (sectors, reasons, conditions, tags), as JSON, so that the database is readable with other tools.

use serde_json::{Map, Value as Json, json};

use super::error::StoreError;
use crate::laps::{Conditions, Reason, ReasonCode, ReasonSource, Sector, SectorSource};

pub(super) fn sectors_text(sectors: &[Sector]) -> String {
    let sectors = sectors.iter().map(|sector| json!([sector.time_ms, sector.source.as_str()]));
    Json::Array(sectors.collect()).to_string()
}

pub(super) fn sectors_of(text: &str) -> Result<Vec<Sector>, StoreError> {
    list(text, "sectors", |sector| {
        let time_ms = whole(sector.get(0)?)?;
        let source = SectorSource::parse(sector.get(1)?.as_str()?).unwrap_or(SectorSource::None);
        Some(Sector { time_ms, source })
    })
}

/// Times, each alone: `[31234,null]`.
pub(super) fn times_text(times_ms: &[Option<u32>]) -> String {
    json!(times_ms).to_string()
}

pub(super) fn times_of(text: &str) -> Result<Vec<Option<u32>>, StoreError> {
    list(text, "times", whole)
}

pub(super) fn flags_text(flags: &[bool]) -> String {
    json!(flags).to_string()
}

pub(super) fn flags_of(text: &str) -> Result<Vec<bool>, StoreError> {
    list(text, "flags", Json::as_bool)
}

pub(super) fn reasons_text(reasons: &[Reason]) -> String {
    let reasons = reasons.iter().map(|reason| {
        let mut fields = Map::new();
        fields.insert("code".to_owned(), reason.code.as_str().into());
        fields.insert("source".to_owned(), reason.source.as_str().into());
        put(&mut fields, "at_sector", reason.at_sector);
        put(&mut fields, "at_fraction", reason.at_fraction.filter(|fraction| fraction.is_finite()));
        put(&mut fields, "at_ns", reason.at_ns);
        Json::Object(fields)
    });
    Json::Array(reasons.collect()).to_string()
}

/// Skips reasons that only a newer program supports: the rest of the lap is still correct.
pub(super) fn reasons_of(text: &str) -> Result<Vec<Reason>, StoreError> {
    let reasons = list(text, "reasons", |reason| {
        let field = |name: &str| reason.get(name).unwrap_or(&Json::Null);
        let (code, source) = (field("code").as_str()?, field("source").as_str()?);
        let (Some(code), Some(source)) = (ReasonCode::parse(code), ReasonSource::parse(source)) else {
            return Some(None);
        };
        Some(Some(Reason {
            code,
            source,
            at_sector: whole(field("at_sector"))?,
            at_fraction: field("at_fraction").as_f64().map(|fraction| fraction as f32),
            at_ns: field("at_ns").as_u64(),
        }))
    })?;
    Ok(reasons.into_iter().flatten().collect())
}

pub(super) fn conditions_text(conditions: &Conditions) -> String {
    let Conditions { air_celsius, track_celsius, grip, rain, caution, time_of_day_s, tyre } = conditions;
    let finite = |number: &Option<f32>| number.filter(|number| number.is_finite());
    let mut fields = Map::new();
    put(&mut fields, "air_celsius", finite(air_celsius));
    put(&mut fields, "track_celsius", finite(track_celsius));
    put(&mut fields, "grip", grip.clone());
    put(&mut fields, "rain", rain.clone());
    put(&mut fields, "caution", *caution);
    put(&mut fields, "time_of_day_s", finite(time_of_day_s));
    put(&mut fields, "tyre", tyre.clone());
    Json::Object(fields).to_string()
}

pub(super) fn conditions_of(text: &str) -> Result<Conditions, StoreError> {
    let fields = match serde_json::from_str(text) {
        Ok(Json::Object(fields)) => fields,
        _ => return Err(damaged("conditions", text)),
    };
    let real = |name: &str| fields.get(name).and_then(Json::as_f64).map(|number| number as f32);
    let words = |name: &str| fields.get(name).and_then(Json::as_str).map(str::to_owned);
    Ok(Conditions {
        air_celsius: real("air_celsius"),
        track_celsius: real("track_celsius"),
        grip: words("grip"),
        rain: words("rain"),
        caution: fields.get("caution").and_then(Json::as_bool),
        time_of_day_s: real("time_of_day_s"),
        tyre: words("tyre"),
    })
}

pub(super) fn tags_text(tags: &[String]) -> String {
    json!(tags).to_string()
}

pub(super) fn tags_of(text: &str) -> Result<Vec<String>, StoreError> {
    list(text, "tags", |tag| tag.as_str().map(str::to_owned))
}

/// Adds a field unless its value is unknown.
fn put<T: Into<Json>>(fields: &mut Map<String, Json>, name: &str, value: Option<T>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Parses an unsigned integer in range, or null as an unknown value. Returns `None` for anything else.
fn whole<T: TryFrom<u64>>(value: &Json) -> Option<Option<T>> {
    match value {
        Json::Null => Some(None),
        number => T::try_from(number.as_u64()?).ok().map(Some),
    }
}

fn list<T>(text: &str, expected: &'static str, make: impl Fn(&Json) -> Option<T>) -> Result<Vec<T>, StoreError> {
    match serde_json::from_str(text) {
        Ok(Json::Array(items)) => items.iter().map(make).collect::<Option<_>>().ok_or_else(|| damaged(expected, text)),
        _ => Err(damaged(expected, text)),
    }
}

fn damaged(expected: &'static str, text: &str) -> StoreError {
    StoreError::Damaged { expected, found: text.chars().take(80).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_as_they_were() {
        let sectors = vec![
            Sector { time_ms: Some(31_234), source: SectorSource::Official },
            Sector { time_ms: None, source: SectorSource::None },
        ];
        assert_eq!(sectors_text(&sectors), r#"[[31234,"official"],[null,"none"]]"#);
        assert_eq!(sectors_of(&sectors_text(&sectors)).unwrap(), sectors);
        let reasons = vec![
            Reason {
                code: ReasonCode::Cut,
                source: ReasonSource::Game,
                at_sector: Some(2),
                at_fraction: Some(0.1),
                at_ns: Some(u64::MAX),
            },
            Reason {
                code: ReasonCode::StreamGap,
                source: ReasonSource::Tool,
                at_sector: None,
                at_fraction: None,
                at_ns: None,
            },
        ];
        assert_eq!(reasons_of(&reasons_text(&reasons)).unwrap(), reasons);
        let conditions = Conditions {
            air_celsius: Some(0.1),
            rain: Some("light \"rain\"".to_owned()),
            caution: Some(false),
            ..Conditions::default()
        };
        assert_eq!(conditions_of(&conditions_text(&conditions)).unwrap(), conditions);
        let tags = vec!["wet".to_owned(), "é, \"x\"".to_owned()];
        assert_eq!(tags_of(&tags_text(&tags)).unwrap(), tags);
    }

    #[test]
    fn words_of_a_newer_program_are_unknown() {
        assert_eq!(reasons_of(r#"[{"code":"dance","source":"game"}]"#).unwrap(), []);
        let unknown = Sector { time_ms: Some(5), source: SectorSource::None };
        assert_eq!(sectors_of(r#"[[5,"dreamt"]]"#).unwrap(), [unknown]);
    }

    #[test]
    fn texts_that_nobody_wrote_are_refused() {
        for text in ["", "null", "[1]", r#"[[1]]"#, r#"[[-1,"official"]]"#, r#"[[99999999999,"official"]]"#] {
            assert!(sectors_of(text).is_err(), "{text}");
        }
        assert!(reasons_of(r#"[{"code":5,"source":"game"}]"#).is_err());
        assert!(conditions_of("[]").is_err());
        assert!(tags_of("[1]").is_err());
    }
}
