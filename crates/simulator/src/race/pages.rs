//! The sections of both games. A race writes into pages of the caller, which keep what it does not write.
use super::records::Record;
use super::{END_S, Race};

const VEHICLE_BYTES: usize = 1888;
const SCORING_BYTES: usize = 584;

/// The sections of rFactor 2.
#[derive(Debug, Clone)]
pub struct RFactor2Pages {
    /// `$rFactor2SMMP_Telemetry$`
    pub telemetry: Vec<u8>,
    /// `$rFactor2SMMP_Scoring$`
    pub scoring: Vec<u8>,
    /// `$rFactor2SMMP_Extended$`
    pub extended: Vec<u8>,
}

impl Default for RFactor2Pages {
    fn default() -> Self {
        Self { telemetry: vec![0; 241_680], scoring: vec![0; 75_312], extended: vec![0; 10_152] }
    }
}

impl Race {
    fn record<'a>(&self, page: &'a mut [u8], at: usize, bytes: usize) -> Record<'a> {
        Record { bytes: page.get_mut(at..at + bytes).unwrap_or_default(), is_double: self.settings.is_double }
    }

    /// Writes `LMU_Data`, at least 324,820 bytes, as it is after the newest step.
    pub fn write_lmu(&self, page: &mut [u8]) {
        let is_scored = self.is_scored();
        let mut header = self.record(page, 0, 1632);
        header.i32(40, i32::from(is_scored));
        header.i32(44, 1);
        header.i32(60, 1);
        header.i32(64, 10_302);
        let torque = self.cars.get(self.player()).map_or(0.0, |car| car.steering * 9.0 + car.lateral * 0.2);
        header.put(68, (torque as f32).to_le_bytes());
        header.put(72, 0x0001_04F2_u64.to_le_bytes());
        [2560, 1440, 144].into_iter().zip([80, 84, 88]).for_each(|(value, at)| header.i32(at, value));
        header.put(96, [3]);
        let folders = ["UserData", "CustomPluginVariables.JSON", "Results", "player", "Plugins"];
        for (index, folder) in folders.into_iter().enumerate() {
            header.text(332 + 260 * index, 260, &format!("C:\\Games\\Le Mans Ultimate\\{folder}"));
        }
        if is_scored || self.steps <= 1 {
            let mut session = self.record(page, 1632, 548);
            self.session(&mut session);
            session.put(340, ((END_S - self.scoring.clock_s) as f32).to_le_bytes());
            session.put(344, ((50_400.0 + self.scoring.clock_s) as f32).to_le_bytes());
            session.put(349, [2, 1, 4, 2]);
            self.record(page, 2184, 8).put(0, (self.results.len() as u64).to_le_bytes());
            for (place, scored) in self.scoring.cars.iter().enumerate() {
                self.entry(place, scored, &mut self.record(page, 2192 + place * SCORING_BYTES, SCORING_BYTES));
            }
            let mut results = self.record(page, 62_928, 65_536);
            results.text(0, 65_536, &self.results);
        }
        self.record(page, 128_464, 4).put(0, [self.cars.len() as u8, self.player() as u8, 1]);
        for number in 0..self.cars.len() {
            let mut record = self.record(page, 128_468 + number * VEHICLE_BYTES, VEHICLE_BYTES);
            self.telemetry(number, &mut record);
            self.telemetry_lmu(number, &mut record);
        }
    }

    /// Writes the sections of rFactor 2 as they are after the newest step, with equal version words. The classification and what the plugin observed
    /// only when they are due.
    pub fn write_rfactor_2(&self, pages: &mut RFactor2Pages) {
        let mut head = self.record(&mut pages.telemetry, 0, 16);
        let version = self.steps as i32 + 1;
        [version, version, 0, self.cars.len() as i32]
            .into_iter()
            .enumerate()
            .for_each(|(at, word)| head.i32(at * 4, word));
        for number in 0..self.cars.len() {
            let mut record = self.record(&mut pages.telemetry, 16 + number * VEHICLE_BYTES, VEHICLE_BYTES);
            self.telemetry(number, &mut record);
        }
        if !self.is_scored() && self.steps > 1 {
            return;
        }
        let count = self.scoring.count as i32;
        for page in [&mut pages.scoring, &mut pages.extended] {
            let mut words = self.record(page, 0, 8);
            words.i32(0, count);
            words.i32(4, count);
        }
        self.session(&mut self.record(&mut pages.scoring, 12, 548));
        for (place, scored) in self.scoring.cars.iter().enumerate() {
            self.entry(place, scored, &mut self.record(&mut pages.scoring, 560 + place * SCORING_BYTES, SCORING_BYTES));
        }
        let mut extended = self.record(&mut pages.extended, 8, 10_144);
        extended.text(0, 12, "3.7.15.1");
        extended.put(12, [1]);
        extended.put(8248, [1, 1, 1, 1]);
        extended.put(8252, 1_234_567_u64.to_le_bytes());
        extended.put(9708, 22.2_f32.to_le_bytes());
    }
}
