//! Sessions and laps of a tape, the channels of a lap, and comparisons, by `gametape-analysis`.

use std::sync::Arc;

use gametape_analysis::documents::SessionDocument;
use gametape_analysis::laps::columns::columns;
use gametape_analysis::laps::compare::{FineGrid, compare};
use gametape_analysis::laps::{ColumnsError, Grid, Lap, LapColumns, TrackError, Tracked as Found};
use gametape_format::read::Tape;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{GametapeError, read_error, value_error};

/// The sessions and laps of a tape.
#[pyclass(frozen, module = "gametape._native")]
pub(crate) struct Tracked {
    tape: Arc<Tape>,
    found: Found,
    name: String,
}

/// Columns as Python takes them: name, unit and values, NaN where unknown.
type Columns<'py> = Vec<(String, String, Bound<'py, PyArray1<f64>>)>;

impl Tracked {
    /// Detects sessions and laps, in one pass over all frames.
    pub(crate) fn of(py: Python<'_>, tape: Arc<Tape>, name: String) -> PyResult<Self> {
        let found =
            py.detach(|| gametape_analysis::laps::track_tape(&*tape)).map_err(|error| track_error(error, &name))?;
        Ok(Self { tape, found, name })
    }

    fn lap(&self, tape_lap: u32) -> PyResult<&Lap> {
        self.found.lap(tape_lap).ok_or_else(|| {
            let count = self.found.laps().count();
            value_error(format!("{} has no lap {tape_lap}; it has {count} laps, counted from 1", self.name))
        })
    }

    fn length(&self, lap: &Lap) -> Option<f64> {
        let session = &self.found.sessions.iter().find(|session| session.session.id == lap.session)?.session;
        let is_it = |track: &str, layout: Option<&String>| {
            Some(track) == session.track.as_deref() && layout == session.layout.as_ref()
        };
        let facts = self.found.tracks.iter().find(|facts| is_it(&facts.track, facts.layout.as_ref()))?;
        facts.length_m.map(f64::from)
    }
}

#[pymethods]
impl Tracked {
    /// The sessions with their stints and laps, as `gametape laps --json` prints them.
    fn sessions(&self) -> PyResult<Vec<String>> {
        let document = |session| serde_json::to_string(&SessionDocument::of(session));
        self.found
            .sessions
            .iter()
            .map(document)
            .collect::<Result<_, _>>()
            .map_err(|error| value_error(error.to_string()))
    }

    /// Facts of laps that the document does not have: session id, lap id, top speed, coverage.
    fn lap_facts(&self) -> Vec<(String, Option<f32>, Option<f32>)> {
        self.found.laps().map(|lap| (lap.id.to_string(), lap.top_speed_kmh, lap.coverage)).collect()
    }

    /// Length of the track of a lap, if the game says it or laps have shown it.
    fn track_length_m(&self, tape_lap: u32) -> PyResult<Option<f64>> {
        Ok(self.length(self.lap(tape_lap)?))
    }

    /// Parts of the tape that could not be read.
    #[getter]
    fn damaged(&self) -> u64 {
        self.found.damaged
    }

    /// The channels of a lap: the share of the lap and the time of each row, the channels, and the names of all there are.
    #[pyo3(signature = (tape_lap, names, step_m=None, hz=None, length_m=None))]
    #[allow(clippy::type_complexity, reason = "a tuple that only the Python half takes apart")]
    fn columns<'py>(
        &self,
        py: Python<'py>,
        tape_lap: u32,
        names: Vec<String>,
        step_m: Option<f64>,
        hz: Option<f64>,
        length_m: Option<f64>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Columns<'py>, Vec<(String, String)>)> {
        let lap = self.lap(tape_lap)?;
        let grid = match (step_m, hz) {
            (Some(step_m), _) => {
                let length_m = length_m.or_else(|| self.length(lap)).ok_or_else(|| self.no_length(tape_lap))?;
                Grid::Metres { step_m, length_m }
            }
            (None, Some(hz)) => Grid::Hertz(hz),
            (None, None) => Grid::Recorded,
        };
        let found = py.detach(|| columns(&*self.tape, lap, &names, grid));
        let found = found.map_err(|error| columns_error(error, &self.name))?;
        let available = found.available.iter().map(|known| (known.name.clone(), known.unit.clone())).collect();
        let (share, time) = (numbers(py, &found.share), numbers(py, &found.time_ms));
        Ok((share, time, channels(py, &found), available))
    }
}

impl Tracked {
    fn no_length(&self, tape_lap: u32) -> PyErr {
        GametapeError::new_err(format!(
            "{}: the length of the track of lap {tape_lap} is not known: the game does not give it, and no lap of the tape is complete; use hz= instead of step_m=",
            self.name
        ))
    }
}

/// Compares laps by position. The first one is the reference: a positive delta means slower.
#[pyfunction]
pub(crate) fn compare_laps<'py>(
    py: Python<'py>,
    laps: Vec<(Py<Tracked>, u32)>,
    step_m: f64,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let parts: Vec<(&Tracked, &Lap)> =
        laps.iter().map(|(tracked, lap)| Ok((tracked.get(), tracked.get().lap(*lap)?))).collect::<PyResult<_>>()?;
    let Some((first, lap)) = parts.first() else { return Err(value_error("no laps to compare")) };
    let length = parts.iter().find_map(|(tracked, lap)| tracked.length(lap));
    let length_m = length.ok_or_else(|| first.no_length(lap.tape_lap))?;
    if !(step_m.is_finite() && step_m > 0.0) {
        return Err(value_error(format!("step_m must be a number of metres above 0, not {step_m}")));
    }
    let fine = FineGrid::of(step_m, length_m);
    // Corners are found by the speed of the reference.
    let speed = "speed_kmh".to_owned();
    let added = !names.contains(&speed);
    let wanted: Vec<String> = names.into_iter().chain(added.then_some(speed)).collect();
    let read = py.detach(|| {
        let grid = Grid::Metres { step_m: fine.step_m, length_m };
        let read = |(tracked, lap): &(&Tracked, &Lap)| {
            columns(&*tracked.tape, lap, &wanted, grid).map_err(|error| (error, tracked.name.clone()))
        };
        parts.iter().map(read).collect::<Result<Vec<LapColumns>, _>>()
    });
    let mut read = read.map_err(|(error, name)| columns_error(error, &name))?;
    let mut found = compare(&read, length_m, fine.step_m).map_err(|error| columns_error(error, &first.name))?;
    fine.thin(&mut found, &mut read);
    if added {
        read.iter_mut().for_each(|lap| lap.columns.truncate(lap.columns.len().saturating_sub(1)));
    }
    let result = PyDict::new(py);
    result.set_item("length_m", length_m)?;
    result.set_item("distance_m", PyArray1::from_vec(py, found.distance_m))?;
    let deltas: Vec<_> = found.delta_ms.iter().map(|delta| numbers(py, delta)).collect();
    result.set_item("delta_ms", deltas)?;
    result.set_item("time_ms", read.iter().map(|lap| numbers(py, &lap.time_ms)).collect::<Vec<_>>())?;
    result.set_item("channels", read.iter().map(|lap| channels(py, lap)).collect::<Vec<_>>())?;
    let stretches = found.stretches.into_iter().map(|stretch| (stretch.from_m, stretch.to_m, stretch.lost_ms));
    result.set_item("stretches", stretches.collect::<Vec<_>>())?;
    let corners = found.corners.into_iter();
    let corners = corners.map(|one| (one.n, one.from_m, one.apex_m, one.to_m, one.min_speed_kmh, one.lost_ms));
    result.set_item("corners", corners.collect::<Vec<_>>())?;
    Ok(result)
}

fn channels<'py>(py: Python<'py>, lap: &LapColumns) -> Columns<'py> {
    let column = |column: &gametape_analysis::laps::Column| {
        (column.name.clone(), column.unit.clone(), numbers(py, &column.values))
    };
    lap.columns.iter().map(column).collect()
}

fn numbers<'py>(py: Python<'py>, values: &[Option<f64>]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_vec(py, values.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

fn track_error(error: TrackError, name: &str) -> PyErr {
    match error {
        TrackError::Read(error) => read_error(error, name),
        error => GametapeError::new_err(format!("{name}: {error}")),
    }
}

fn columns_error(error: ColumnsError, name: &str) -> PyErr {
    match error {
        ColumnsError::Track(error) => track_error(error, name),
        ColumnsError::UnknownChannel { name: channel } => crate::errors::ChannelNotFoundError::new_err(format!(
            "{name}: a lap has no channel {channel:?}; `lap.channels` lists them"
        )),
        error => value_error(format!("{name}: {error}")),
    }
}
