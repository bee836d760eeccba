//! Projects geographic coordinates to metres on a plane, for maps. Files of the game hold coordinates; its live memory
//! does not.

use crate::sample::Geo;

const METRES_PER_DEGREE: f64 = 111_320.0;
/// Beyond this distance it is another track.
const FAR_DEG: f64 = 2.0;

/// The projection plane. It touches the globe at a whole degree near the first position. Recordings of the same track
/// therefore share a plane, distances are accurate to 1 %, and values are small enough for `f32` to resolve
/// centimetres.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ground {
    origin: Option<Origin>,
}

#[derive(Debug, Clone, Copy)]
struct Origin {
    latitude_deg: f64,
    longitude_deg: f64,
}

impl Ground {
    /// Returns east, up, south. With x to the right and z downwards, north is at the top of a map.
    pub(crate) fn metres(&mut self, geo: &Geo) -> Option<[f32; 3]> {
        let Geo { latitude_deg, longitude_deg, altitude_m } = *geo;
        if !(-90.0..=90.0).contains(&latitude_deg) || !(-180.0..=180.0).contains(&longitude_deg) {
            return None;
        }
        let east_deg = |from: f64| (longitude_deg - from + 180.0).rem_euclid(360.0) - 180.0;
        let near = |origin: &Origin| {
            (latitude_deg - origin.latitude_deg).abs() < FAR_DEG && east_deg(origin.longitude_deg).abs() < FAR_DEG
        };
        let here = Origin { latitude_deg: latitude_deg.round(), longitude_deg: longitude_deg.round() };
        let origin = *self.origin.insert(self.origin.filter(near).unwrap_or(here));
        let east = east_deg(origin.longitude_deg) * METRES_PER_DEGREE * origin.latitude_deg.to_radians().cos();
        let north = (latitude_deg - origin.latitude_deg) * METRES_PER_DEGREE;
        Some([east as f32, altitude_m.unwrap_or_default(), -north as f32])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude_deg: f64, longitude_deg: f64) -> Geo {
        Geo { latitude_deg, longitude_deg, altitude_m: None }
    }

    #[test]
    fn a_square_on_the_globe_is_a_square_on_the_map_with_north_at_the_top() {
        for (latitude, longitude) in
            [(27.45, -81.35), (47.22, 14.77), (-34.69, 138.56), (0.0, 179.999), (35.37, 138.93)]
        {
            let mut ground = Ground::default();
            let east_deg = 1_000.0 / METRES_PER_DEGREE / f64::to_radians(latitude).cos();
            let north_deg = 1_000.0 / METRES_PER_DEGREE;
            let mut place = |north: f64, east: f64| {
                let longitude = (longitude + east + 180.0_f64).rem_euclid(360.0) - 180.0;
                ground.metres(&at(latitude + north, longitude)).unwrap()
            };
            let [here, north, east] = [place(0.0, 0.0), place(north_deg, 0.0), place(0.0, east_deg)];
            let step = |to: [f32; 3]| [to[0] - here[0], to[2] - here[2]];
            let near = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) < 10.0;
            assert!(near(step(north), [0.0, -1_000.0]), "{latitude}: north is {:?}", step(north));
            assert!(near(step(east), [1_000.0, 0.0]), "{latitude}: east is {:?}", step(east));
            // North is straight up: a plane whose scale varies by position would shear.
            assert!(step(north)[0].abs() < 0.5, "{latitude}: north leans by {} m", step(north)[0]);
        }
    }

    #[test]
    fn recordings_that_begin_at_other_places_of_a_track_have_the_same_plane() {
        let (mut one, mut other) = (Ground::default(), Ground::default());
        let [start, pits, corner] = [at(47.219, 14.765), at(47.223, 14.771), at(47.215, 14.759)];
        one.metres(&start).unwrap();
        other.metres(&pits).unwrap();
        assert_eq!(one.metres(&corner), other.metres(&corner));
    }

    #[test]
    fn small_steps_are_seen_everywhere() {
        let mut ground = Ground::default();
        let [a, _, _] = ground.metres(&at(-37.5, 144.95)).unwrap();
        let [b, _, _] = ground.metres(&at(-37.5, 144.95 + 0.000_002)).unwrap();
        assert!((0.1..0.3).contains(&(b - a)), "{}", b - a);
    }

    #[test]
    fn another_track_has_a_plane_of_its_own_and_nonsense_has_no_place() {
        let mut ground = Ground::default();
        let first = ground.metres(&at(27.4, -81.4)).unwrap();
        let [x, _, z] = ground.metres(&at(47.2, 14.8)).unwrap();
        assert!(x.abs() < 60_000.0 && z.abs() < 60_000.0, "{x} {z}");
        assert_eq!(ground.metres(&at(27.4, -81.4)), Some(first));
        assert_eq!(ground.metres(&at(f64::NAN, 0.0)), None);
        assert_eq!(ground.metres(&at(91.0, 0.0)), None);
    }
}
