//! Figures of a car that is being driven: the delta to a reference lap, the fuel, the running lap.
//!
//! Takes samples and events of the tracker one by one, gives what a screen shows. Callers own threads, clocks and how often a screen is drawn.

mod car;
mod deltas;
mod fuel;
mod reference;

pub use car::{CarNow, CarState, LiveTape, RunningLap};
pub use deltas::Deltas;
pub use fuel::Fuel;
pub use reference::Reference;
