//! Live figures for the car being driven: the delta to a reference lap, fuel, the current lap.
//!
//! Takes samples and tracker events one by one and produces what a screen shows. Callers own the threads, the clocks and the
//! refresh rate.

mod car;
mod deltas;
mod fuel;
mod reference;

pub use car::{CarNow, CarState, LiveTape, RunningLap};
pub use deltas::Deltas;
pub use fuel::Fuel;
pub use reference::Reference;
