//! Heartbeats: how to ask a console for packets. Pure; the transport sends them.
//!
//! A heartbeat is a datagram of one byte, the letter of the packet kind. It goes from a socket bound to [`Heartbeat::reply_port`] to
//! [`Heartbeat::console_port`] of the console, or to the broadcast address to find one. The console answers for 1.6 s or longer, depending on the
//! version of the game, and only while a car is on the screen. An older game does not answer a letter that it does not know, so
//! [`PacketKind::after_silence`] makes the kinds take turns until one is answered. `requests` has the state machines of both sides.

/// A kind of packet, which the letter in the heartbeat selects. Each kind continues the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PacketKind {
    /// All versions of the game; the only kind of Gran Turismo Sport and 6.
    A,
    /// With steering and accelerations, since version 1.42.
    B,
    /// With filtered pedals and energy recovery, since version 1.42.
    Tilde,
    /// With surfaces and the lap clock, since version 1.68.
    C,
}

impl PacketKind {
    /// Returns the byte that asks for this kind.
    #[must_use]
    pub const fn letter(self) -> u8 {
        match self {
            Self::A => b'A',
            Self::B => b'B',
            Self::Tilde => b'~',
            Self::C => b'C',
        }
    }

    /// Returns the kind that a letter asks for.
    #[must_use]
    pub const fn of_letter(letter: u8) -> Option<Self> {
        match letter {
            b'A' => Some(Self::A),
            b'B' => Some(Self::B),
            b'~' => Some(Self::Tilde),
            b'C' => Some(Self::C),
            _ => None,
        }
    }

    /// Returns the length of a packet of this kind.
    #[must_use]
    pub const fn packet_bytes(self) -> usize {
        match self {
            Self::A => 296,
            Self::B => 316,
            Self::Tilde => 344,
            Self::C => 368,
        }
    }

    /// Returns the kind to ask for next, if this one has been asked for since `silent_ms` and no packet arrived. Stays with a kind for
    /// [`FALL_BACK_AFTER_MS`], then goes on: C, ~, A, and C again. It has to begin anew, because no kind is answered in the menus.
    #[must_use]
    pub const fn after_silence(self, silent_ms: u64) -> Self {
        match self {
            kind if silent_ms < FALL_BACK_AFTER_MS => kind,
            Self::C => Self::Tilde,
            Self::Tilde | Self::B => Self::A,
            Self::A => Self::C,
        }
    }
}

/// The ports of a game's heartbeats, and how often to send one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    /// UDP port of the console that heartbeats are sent to.
    pub console_port: u16,
    /// UDP port that the console answers to, on the machine that sent the heartbeat.
    pub reply_port: u16,
    /// Milliseconds from one heartbeat to the next. Consoles go silent 1.6 s after the last one.
    pub interval_ms: u64,
    /// The kind to ask for first.
    pub first_kind: PacketKind,
    /// Whether other kinds may be asked for.
    pub has_other_kinds: bool,
}

/// Heartbeats of Gran Turismo 7.
pub const GT7: Heartbeat = Heartbeat {
    console_port: 33739,
    reply_port: 33740,
    interval_ms: 1_000,
    first_kind: PacketKind::C,
    has_other_kinds: true,
};

/// Heartbeats of Gran Turismo Sport and Gran Turismo 6.
pub const GT_SPORT: Heartbeat = Heartbeat {
    console_port: 33339,
    reply_port: 33340,
    interval_ms: 1_000,
    first_kind: PacketKind::A,
    has_other_kinds: false,
};

/// A kind that was not answered for this long is not known to the game, or no car is on the screen.
pub const FALL_BACK_AFTER_MS: u64 = 3_000;

impl Heartbeat {
    /// Returns the datagram to send now, and the kind that it asks for. `asked` is the kind asked for so far (`None` at the start), `silent_ms`
    /// the time since it was first asked for or last answered.
    #[must_use]
    pub const fn next(&self, asked: Option<PacketKind>, silent_ms: u64) -> (PacketKind, [u8; 1]) {
        let kind = match asked {
            Some(kind) if self.has_other_kinds => kind.after_silence(silent_ms),
            _ => self.first_kind,
        };
        (kind, [kind.letter()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_take_turns_while_the_console_is_silent() {
        assert_eq!(GT7.next(None, 0), (PacketKind::C, [b'C']));
        assert_eq!(GT7.next(Some(PacketKind::C), 2_999), (PacketKind::C, [b'C']));
        assert_eq!(GT7.next(Some(PacketKind::C), 3_000), (PacketKind::Tilde, [b'~']));
        assert_eq!(GT7.next(Some(PacketKind::Tilde), 3_000), (PacketKind::A, [b'A']));
        assert_eq!(GT7.next(Some(PacketKind::B), 3_000), (PacketKind::A, [b'A']));
        assert_eq!(GT7.next(Some(PacketKind::A), 3_000), (PacketKind::C, [b'C']), "a car may be on the screen by now");
        assert_eq!(GT7.next(Some(PacketKind::A), 0), (PacketKind::A, [b'A']), "a kind that is answered is kept");
    }

    #[test]
    fn older_games_are_only_asked_for_packet_a() {
        assert_eq!(GT_SPORT.next(None, 0), (PacketKind::A, [b'A']));
        assert_eq!(GT_SPORT.next(Some(PacketKind::A), 60_000), (PacketKind::A, [b'A']));
    }
}
