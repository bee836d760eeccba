use super::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use zerocopy::IntoBytes as _;

fn digest_of(pages: &Pages) -> u64 {
    let mut hasher = DefaultHasher::new();
    [pages.physics.as_bytes(), pages.graphics.as_bytes(), pages.static_page.as_bytes()].hash(&mut hasher);
    hasher.finish()
}

fn drive_of(seed: u64) -> Simulation {
    let script = Script::new().at(70_000).pause(5_000).wait(10_000).restart().wait(60_000).return_to_garage();
    Simulation::driving(Settings { seed, ..Settings::default() }, script)
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let digest = |seed| {
        let mut hasher = DefaultHasher::new();
        drive_of(seed).sample(333).take(150 * 333).for_each(|(_, pages)| digest_of(&pages).hash(&mut hasher));
        hasher.finish()
    };
    assert_eq!(digest(7), digest(7));
    assert_ne!(digest(7), digest(8));
}

#[test]
fn a_sample_is_the_same_at_every_rate() {
    let seconds = 150;
    let every_ms: Vec<u64> =
        drive_of(3).sample(1000).take(seconds * 1000).map(|(_, pages)| digest_of(&pages)).collect();
    for rate_hz in [1, 10, 20, 60, 100, 333, 4000] {
        for (index, (time_ns, pages)) in drive_of(3).sample(rate_hz).take(seconds * rate_hz as usize).enumerate() {
            assert_eq!(time_ns, index as u64 * 1_000_000_000 / u64::from(rate_hz));
            assert!(every_ms[(time_ns / 1_000_000) as usize] == digest_of(&pages), "{rate_hz} Hz, {time_ns} ns");
        }
    }
}

#[test]
fn pages_are_written_at_their_rates_and_numbered() {
    for (rates, physics, graphics) in [
        (Rates::GAME, 3330, 600),
        (Rates { physics_hz: 100, graphics_hz: 30 }, 1000, 300),
        (Rates::EVERY_MS, 10_000, 10_000),
    ] {
        let mut simulation = Simulation::driving(Settings::default(), Script::new()).with_rates(rates);
        assert_eq!((simulation.pages().physics.packet_id, simulation.pages().graphics.packet_id), (1, 1));
        let mut written = (0, 0, 0);
        for _ in 0..10_000 {
            let step = simulation.step();
            written.0 += i32::from(step.physics);
            written.1 += i32::from(step.graphics);
            written.2 += i32::from(step.static_page);
        }
        assert_eq!(written, (physics, graphics, 0));
        let pages = simulation.pages();
        assert_eq!((pages.physics.packet_id, pages.graphics.packet_id), (physics + 1, graphics + 1));
    }
}

#[test]
fn nothing_changes_between_two_writes() {
    let mut simulation = Simulation::driving(Settings::default(), Script::new());
    for _ in 0..3_000 {
        let before = simulation.pages().clone();
        let written = simulation.step();
        let after = simulation.pages();
        assert_eq!(before.physics != after.physics, written.physics);
        assert_eq!(before.graphics != after.graphics, written.graphics);
        assert_eq!(before.static_page, after.static_page);
    }
}
