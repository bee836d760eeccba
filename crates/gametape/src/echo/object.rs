//! Writes JSON text in the game's formatting from keys and values in order.

use std::fmt::Write as _;

use telemetry_v2::proto::engine::v1::{BodyPart, HandPart};

use super::spelling::{push_f32, push_f64, push_text};

/// An object being written.
pub(super) struct Object {
    text: String,
    short: bool,
}

impl Object {
    pub(super) fn new(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes);
        text.push('{');
        Self { text, short: false }
    }

    /// Sets whether numbers are written with 32-bit precision.
    pub(super) fn short_numbers(&mut self, short: bool) {
        self.short = short;
    }

    pub(super) fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn key(&mut self, key: &str) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
    }

    pub(super) fn nested(&mut self, write: impl FnOnce(&mut Self)) {
        self.text.push('{');
        write(self);
        self.text.push('}');
    }

    pub(super) fn object(&mut self, key: &str, write: impl FnOnce(&mut Self)) {
        self.key(key);
        self.nested(write);
    }

    pub(super) fn list<T>(&mut self, key: &str, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.key(key);
        self.text.push('[');
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.text.push(',');
            }
            write(self, item);
        }
        self.text.push(']');
    }

    pub(super) fn vector(&mut self, key: &str, values: &[f64]) {
        self.list(key, values, |out, value| out.number(*value));
    }

    pub(super) fn short_list(&mut self, key: &str, values: &[f32]) {
        self.list(key, values, |out, value| push_f32(&mut out.text, *value));
    }

    pub(super) fn part(&mut self, key: &str, part: Option<&BodyPart>) {
        if let Some(part) = part {
            self.place(key, "position", &part.position, [&part.forward, &part.left, &part.up]);
        }
    }

    pub(super) fn hand(&mut self, key: &str, hand: Option<&HandPart>) {
        if let Some(hand) = hand {
            self.place(key, "pos", &hand.pos, [&hand.forward, &hand.left, &hand.up]);
        }
    }

    fn place(&mut self, key: &str, position: &str, at: &[f64], basis: [&[f64]; 3]) {
        let [forward, left, up] = basis;
        self.object(key, |out| {
            out.vector(position, at);
            out.vector("forward", forward);
            out.vector("left", left);
            out.vector("up", up);
        });
    }

    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        push_text(&mut self.text, text);
    }

    pub(super) fn text_if(&mut self, known: bool, key: &str, text: &str) {
        if known {
            self.text(key, text);
        }
    }

    pub(super) fn bool(&mut self, key: &str, value: bool) {
        self.key(key);
        self.text.push_str(if value { "true" } else { "false" });
    }

    pub(super) fn int(&mut self, key: &str, value: i32) {
        self.key(key);
        let _ = write!(self.text, "{value}");
    }

    pub(super) fn int_if(&mut self, known: bool, key: &str, value: i32) {
        if known {
            self.int(key, value);
        }
    }

    /// Writes an integer in a list.
    pub(super) fn item(&mut self, value: i32) {
        let _ = write!(self.text, "{value}");
    }

    pub(super) fn whole(&mut self, key: &str, value: u64) {
        self.key(key);
        let _ = write!(self.text, "{value}");
    }

    pub(super) fn float(&mut self, key: &str, value: f64) {
        self.key(key);
        self.number(value);
    }

    fn number(&mut self, value: f64) {
        if self.short { push_f32(&mut self.text, value as f32) } else { push_f64(&mut self.text, value) }
    }

    pub(super) fn float_if(&mut self, known: bool, key: &str, value: f64) {
        if known {
            self.float(key, value);
        }
    }
}
