//! Downloads of tapes, whole or in part. The file is the one listed in the catalogue.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use super::access::Caller;
use super::channels::read_tapes;
use super::error::{ApiError, Problem};
use super::params::{Named, NoParams, Params};
use super::piped;
use super::state::AppState;
use super::tapes::{check_owner, open, tape_id_of, unreadable};

/// The media type of tapes.
const KIND: &str = "application/x-gametape";
const CHUNK_BYTES: usize = 256 << 10;

/// Returns the tape file. Supports `Range` requests, to resume an interrupted download.
#[utoipa::path(get, path = "/api/v1/tapes/{id}/file", operation_id = "tape_file", tag = "tapes",
    params(("id" = String, Path, description = "Tape id", pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, description = "The tape", body = String, content_type = "application/x-gametape"),
        (status = 206, description = "A part of the tape", body = String, content_type = "application/x-gametape"),
        (status = 304), (status = "4XX", body = Problem), (status = 503, body = Problem)))]
pub(super) async fn file(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Named(id): Named,
    _: Params<NoParams>,
) -> Result<Response, ApiError> {
    check_owner(&state, caller)?;
    let id = tape_id_of(&id)?;
    let (file, bytes, tag, name) = read_tapes(&state, move |store| {
        let (known, tape) = open(store, id)?;
        if !tape.is_complete() {
            let message = "this tape is not closed: it is still being recorded, or its recorder was killed; \
                           wait until it is closed, or close it with `gametape recover`";
            return Err(ApiError::conflict("not_closed", message));
        }
        let name = file_name(&known.path);
        let opened = File::open(&known.path).and_then(|file| Ok((file.metadata()?, file)));
        let (about, file) = opened.map_err(|error| unreadable(&error))?;
        let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        Ok((file, about.len(), format!("\"{id}-{:x}-{:x}\"", about.len(), changed.as_micros()), name))
    })
    .await?;
    let mut answer = match (knows(&headers, &tag), part(&headers, &tag, bytes)) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, Part::Nothing) => {
            let mut refused = ApiError::no_such_range(bytes).into_response();
            refused.headers_mut().insert(header::CONTENT_RANGE, text(&format!("bytes */{bytes}")));
            return Ok(refused);
        }
        (false, Part::Whole) => (StatusCode::OK, stream(&state.downloads, file, 0..bytes)?).into_response(),
        (false, Part::Some(range)) => {
            let said = format!("bytes {}-{}/{bytes}", range.start, range.end - 1);
            let mut answer =
                (StatusCode::PARTIAL_CONTENT, stream(&state.downloads, file, range.clone())?).into_response();
            answer.headers_mut().insert(header::CONTENT_RANGE, text(&said));
            answer.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
            answer
        }
    };
    if answer.status() == StatusCode::OK {
        answer.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(bytes));
    }
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(KIND));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CONTENT_DISPOSITION, attachment(&name));
    headers.insert(header::ETAG, text(&tag));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(answer)
}

fn stream(turns: &Arc<Semaphore>, mut file: File, range: Range<u64>) -> Result<Body, ApiError> {
    let turn = piped::turn(turns)?;
    Ok(piped::body(turn, move |pipe| {
        file.seek(SeekFrom::Start(range.start))?;
        let (mut left, mut piece) = (range.end - range.start, vec![0; CHUNK_BYTES]);
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK_BYTES);
            let found = match piece.get_mut(..wanted) {
                Some(room) => file.read(room)?,
                None => 0,
            };
            if found == 0 {
                // Shorter than announced: the client must notice.
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
            }
            pipe.write_all(piece.get(..found).unwrap_or_default())?;
            left -= found as u64;
        }
        Ok(())
    }))
}

/// The requested part of a file.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Some(Range<u64>),
    /// The range is outside of the file.
    Nothing,
}

/// Evaluates the `Range` header for a file of this size. Multiple ranges and other units are answered with the whole file.
fn part(headers: &HeaderMap, tag: &str, bytes: u64) -> Part {
    let said = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(wanted) = said(header::RANGE).and_then(|range| range.trim().strip_prefix("bytes=")) else {
        return Part::Whole;
    };
    // A client with a part of another version gets the whole file.
    if said(header::IF_RANGE).is_some_and(|known| known.trim() != tag) || wanted.contains(',') {
        return Part::Whole;
    }
    let Some((first, last)) = wanted.split_once('-') else { return Part::Whole };
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => Some(Some(text.parse().unwrap_or(u64::MAX))),
        _ => None,
    };
    match (number(first), number(last)) {
        (Some(Some(first)), Some(None)) if first < bytes => Part::Some(first..bytes),
        (Some(Some(first)), Some(Some(last))) if first > last => Part::Whole,
        (Some(Some(first)), Some(Some(last))) if first < bytes => Part::Some(first..last.saturating_add(1).min(bytes)),
        (Some(None), Some(Some(last))) if last > 0 && bytes > 0 => Part::Some(bytes.saturating_sub(last)..bytes),
        (Some(Some(_)), Some(_)) | (Some(None), Some(Some(_))) => Part::Nothing,
        _ => Part::Whole,
    }
}

fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let lines = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lines
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}

fn text(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

/// Returns the file name of a path from any system.
pub(super) fn file_name(path: &str) -> String {
    let name = FilePath::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Returns the `Content-Disposition` header: an ASCII name for old browsers, the exact name for all others.
pub(super) fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "._- ".contains(letter) { letter } else { '_' })
        .collect();
    let mut coded = String::new();
    for byte in name.bytes() {
        match byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            true => coded.push(char::from(byte)),
            false => coded.push_str(&format!("%{byte:02X}")),
        }
    }
    text(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{coded}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_became_shorter_does_not_look_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short");
        File::create_new(&path).unwrap().write_all(&[7; 100]).unwrap();
        let turns = std::sync::Arc::new(tokio::sync::Semaphore::new(2));
        let sent = |range| axum::body::to_bytes(stream(&turns, File::open(&path).unwrap(), range).unwrap(), 1000);
        assert_eq!(sent(10..100).await.unwrap(), [7; 90].as_slice());
        assert!(sent(10..101).await.is_err());
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let of = |range: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
            part(&headers, "\"a\"", 100)
        };
        for (range, expected) in [
            ("bytes=0-9", Part::Some(0..10)),
            ("bytes=90-", Part::Some(90..100)),
            ("bytes=90-400", Part::Some(90..100)),
            ("bytes=-7", Part::Some(93..100)),
            ("bytes=-700", Part::Some(0..100)),
            ("bytes=99-99", Part::Some(99..100)),
            ("bytes=100-", Part::Nothing),
            ("bytes=100-200", Part::Nothing),
            ("bytes=99999999999999999999999-", Part::Nothing),
            ("bytes=-0", Part::Nothing),
            ("bytes=9-0", Part::Whole),
            ("bytes=-", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("bytes=0-1,5-6", Part::Whole),
            ("lines=0-1", Part::Whole),
        ] {
            assert_eq!(of(range), expected, "{range}");
        }
    }

    #[test]
    fn names_of_files_cannot_break_out_of_their_header() {
        let said = attachment("a \"b\"\r\nX-Evil: 1; ü.gtape");
        let said = said.to_str().unwrap();
        assert!(
            said.starts_with("attachment; filename=\"a _b___X-Evil_ 1_ _.gtape\"; filename*=UTF-8''a%20%22b%22"),
            "{said}"
        );
        assert!(said.ends_with("%C3%BC.gtape") && !said.contains('\n'), "{said}");
        assert_eq!(file_name("/home/somebody/a.gtape"), "a.gtape");
        assert_eq!(file_name("C:\\tapes\\a.gtape"), "a.gtape");
    }
}
