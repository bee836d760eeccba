//! Problems in a source, and how they are recorded in the tape.

use super::error::ImportError;
use super::kind::Kind;
use super::out::Out;
use super::source::Source;
use crate::laps::FOREIGN;

/// Maximum number of problems listed; all are counted. A file can be broken in a million places.
const LISTED: usize = 100;

/// Kind of the events that record problems in the tape.
pub(super) const IMPORT_PROBLEM: &str = "import_problem";

/// Metadata keys that every import sets.
pub(super) const OWN_KEYS: [&str; 6] =
    ["source_file", "source_bytes", "source_kind", "time_source", "importer", "import_problems"];

/// Collects the problems of a source.
#[derive(Debug, Default)]
pub(super) struct Problems {
    listed: Vec<String>,
    count: u64,
}

impl Problems {
    pub(super) fn add(&mut self, problem: impl ToString) {
        self.count += 1;
        if self.listed.len() < LISTED {
            self.listed.push(problem.to_string());
        }
    }

    /// Returns the listed problems and a line with the number of unlisted ones.
    pub(super) fn list(&self) -> Vec<String> {
        let more = self.count - self.listed.len() as u64;
        let rest = (more > 0).then(|| format!("{more} more problems, which are not listed"));
        self.listed.iter().cloned().chain(rest).collect()
    }
}

/// Writes the metadata of every import (source, kind, importer) and the problems as events.
pub(super) fn tell_source(
    out: &mut dyn Out,
    source: &Source,
    kind: Kind,
    importer: &str,
    time_source: &str,
    problems: &Problems,
) -> Result<(), ImportError> {
    tell_source_at(out, source, kind, importer, time_source, problems, 0)
}

/// [`tell_source`] with the problem events at `at_ns`: it must not precede events already written.
pub(super) fn tell_source_at(
    out: &mut dyn Out,
    source: &Source,
    kind: Kind,
    importer: &str,
    time_source: &str,
    problems: &Problems,
    at_ns: u64,
) -> Result<(), ImportError> {
    let (bytes, count) = (source.bytes.to_string(), problems.count.to_string());
    for (key, value) in OWN_KEYS.into_iter().zip([&source.name(), &bytes, kind.id(), time_source, importer, &count]) {
        out.metadata(key, value)?;
    }
    problems.list().iter().try_for_each(|problem| out.event(at_ns, IMPORT_PROBLEM, problem))
}

/// Marks the tape as someone else's, unless the user says that the file is their own.
pub(super) fn tell_foreign(out: &mut dyn Out, source: &Source) -> Result<(), ImportError> {
    if source.is_own { Ok(()) } else { out.metadata(FOREIGN, "true") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_problems_are_counted_and_the_first_are_listed() {
        let mut problems = Problems::default();
        (0..LISTED + 5).for_each(|number| problems.add(number));
        let list = problems.list();
        assert_eq!((list.len(), list[0].as_str()), (LISTED + 1, "0"));
        assert_eq!(list[LISTED], "5 more problems, which are not listed");
    }
}
