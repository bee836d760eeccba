//! Callbacks that receive values instead of structs: normalized samples, or the channels of a row by name.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::bytes::{FrameWriter, Slot, byte_ring};
use super::listener::{Listen, Started, Want, listen_to_bytes};
use crate::capture::{Description, StopFlag};
use crate::format::StreamSpec;
use crate::games::{Layout, Sample, SeenFrame};
use crate::layout::layout_of_stream;
use crate::tape::wanted::Wanted;
use gametape_analysis::Decoding;

/// Maximum number of tapes with a cached decoder: several sources may run at once.
const TAPES: usize = 8;

/// A callback for samples.
pub(crate) struct OnSample<H>(pub(crate) H);

impl<H: FnMut(Duration, &Sample) + Send + 'static> Listen for OnSample<H> {
    fn wants(&self) -> Want {
        Want::All
    }

    fn start(self: Box<Self>, wanted: Wanted, patient: Option<StopFlag>, tapes: usize) -> io::Result<Started> {
        let mut handler = self.0;
        let mut known: Vec<(Arc<Description>, Option<Decoding>)> = Vec::new();
        listen_to_bytes(wanted, byte_ring(patient), false, tapes, |_| {
            move |slot: &mut Slot| {
                let Some(description) = &slot.description else { return };
                let place = known.iter().position(|(of, _)| Arc::ptr_eq(of, description)).unwrap_or_else(|| {
                    known.truncate(TAPES - 1);
                    let decoding = Decoding::new(&description.game, description.streams.iter());
                    known.insert(0, (Arc::clone(description), decoding));
                    0
                });
                let decoding = known.get_mut(place).and_then(|(_, decoding)| decoding.as_mut());
                if let Some(sample) = decoding.and_then(|decoding| decoding.frame(slot.stream, &slot.bytes)) {
                    handler(Duration::from_nanos(slot.time_ns), sample);
                }
            }
        })
    }
}

/// Passes the frames of a stream as rows with channels.
pub(crate) struct RowWriter<H> {
    pub(crate) handler: H,
    pub(crate) layout: Option<(StreamSpec, Layout)>,
}

impl<H: FnMut(Duration, SeenFrame<'_>) + Send + 'static> FrameWriter for RowWriter<H> {
    fn begin(&mut self, _description: &Description) -> io::Result<()> {
        self.layout = None;
        Ok(())
    }

    fn frame(&mut self, stream: &StreamSpec, t: Duration, bytes: &[u8]) -> io::Result<()> {
        if self.layout.is_none() {
            self.layout = Some((stream.clone(), layout_of_stream(stream).map_err(io::Error::other)?));
        }
        if let Some((spec, layout)) = &self.layout {
            (self.handler)(t, SeenFrame { stream: &spec.name, layout, bytes });
        }
        Ok(())
    }
}
