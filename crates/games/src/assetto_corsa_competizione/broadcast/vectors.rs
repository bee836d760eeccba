//! Messages for tests, written by hand.

/// Connection 4, success, read only.
pub(in super::super) const REGISTERED: &[u8] = &[1, 4, 0, 0, 0, 1, 0, 0, 0];

/// Event 0, session 1, a race, car 4 in focus, no best lap.
pub(in super::super) const UPDATE_10: &[u8] = b"\x02\0\0\x01\0\x0A\x05\0\x7C\x12\x49\0\x7C\x92\x49\x04\0\0\0\
    \x04\0set1\x04\0Cam1\x09\0Basic HUD\0\x80\xF0\x52\x47\x18\x1F\x02\x01\0\
    \xFF\xFF\xFF\x7F\0\0\0\0\0\0\x01\0\0";

/// Car 4 with one driver, third gear, in its eighth lap after one of 102.345 s that does not count.
pub(in super::super) const CAR: &[u8] =
    b"\x03\x04\0\0\0\x01\x05\0\0\xCB\xC2\0\x40\x5C\x43\0\0\xC0\x3F\x01\xBB\0\x02\0\x02\0\0\0\0\0\xE0\x3E\
    \x07\0\x85\xFF\xFF\xFF\
    \x72\x8B\x01\0\x04\0\0\0\x03\xE8\x80\0\0\xD0\x84\0\0\xBA\x85\0\0\0\x01\0\0\
    \xC9\x8F\x01\0\x04\0\0\0\x03\x14\x82\0\0\x60\x86\0\0\x55\x87\0\0\x01\0\0\0\
    \x6E\xB2\0\0\x04\0\0\0\x01\x57\x81\0\0\0\x01\0\0";

/// Cars 4, 1 and 9.
pub(in super::super) const LIST: &[u8] = &[4, 4, 0, 0, 0, 3, 0, 4, 0, 1, 0, 9, 0];

/// Car 4: a Ferrari 296 GT3 with two drivers, of whom the second one drives.
pub(in super::super) const ENTRY: &[u8] = b"\x06\x04\0\x20\x06\0Team A\x3F\0\0\0\0\x01\x02\0\x02\
    \x06\0Driver\x01\x001\x03\0ONE\x02\x02\0\
    \x06\0Driver\x01\x002\x03\0TWO\x03\x05\0";

/// A track of 4318 m with one set of two cameras and one page.
pub(in super::super) const TRACK: &[u8] = b"\x05\x04\0\0\0\x09\0Test Ring\x1A\0\0\0\xDE\x10\0\0\
    \x01\x08\0Drivable\x02\x05\0Chase\x07\0Cockpit\x01\x09\0Basic HUD";
