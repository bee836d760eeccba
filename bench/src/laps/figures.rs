//! Figures with their targets, and the table of them.

use serde::Serialize;

use crate::table::aligned;

/// One line of the result.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    part: String,
    what: String,
    value: f64,
    unit: &'static str,
    /// The target, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
    /// Number of decimals.
    #[serde(skip)]
    digits: usize,
}

impl Figure {
    /// Creates a figure without a target.
    pub(crate) fn new(part: &str, what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { part: part.to_owned(), what: what.into(), value, unit, target: None, met: None, digits: 0 }
    }

    /// Creates a count.
    pub(crate) fn count(part: &str, what: impl Into<String>, value: impl TryInto<u64>) -> Self {
        Self::new(part, what, value.try_into().map_or(f64::NAN, |value| value as f64), "")
    }

    /// Sets the number of decimals.
    pub(crate) fn digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    /// Sets a minimum.
    pub(crate) fn at_least(self, least: f64) -> Self {
        let met = self.value >= least;
        self.must(format!(">= {least}"), met)
    }

    /// Sets a maximum.
    pub(crate) fn at_most(self, most: f64) -> Self {
        let met = self.value <= most;
        self.must(format!("<= {most}"), met)
    }

    /// Sets a minimum and a maximum.
    pub(crate) fn between(self, least: f64, most: f64) -> Self {
        let met = self.value >= least && self.value <= most;
        self.must(format!("{least} to {most}"), met)
    }

    /// Sets an exact value.
    pub(crate) fn exactly(self, wanted: f64) -> Self {
        let met = self.value == wanted;
        self.must(format!("{wanted}"), met)
    }

    fn must(self, target: String, met: bool) -> Self {
        Self { target: Some(target), met: Some(met), ..self }
    }
}

/// Formats all figures. A figure that was not measured is NaN and meets no target.
pub(crate) fn table(figures: &[Figure]) -> String {
    let shown = |figure: &Figure| match figure.value.is_nan() {
        true => "-".to_owned(),
        false => format!("{:.*}", figure.digits, figure.value),
    };
    let width = figures.iter().map(|figure| shown(figure).len()).max().unwrap_or_default().max("measured".len());
    let line = |figure: &Figure| {
        let verdict = figure.met.map_or("", |met| if met { "met" } else { "MISSED" });
        vec![
            figure.part.clone(),
            figure.what.clone(),
            format!("{:>width$}", shown(figure)),
            figure.unit.to_owned(),
            figure.target.clone().unwrap_or_default(),
            verdict.to_owned(),
        ]
    };
    let header = ["part", "what", &format!("{:>width$}", "measured"), "", "must be", ""];
    aligned(&header, &figures.iter().map(line).collect::<Vec<_>>(), header.len())
}

/// Returns the quantile of a sorted list.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).ceil() as usize).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_meets_no_target() {
        let none = || Figure::new("api", "p99", f64::NAN, "ms");
        for figure in [none().at_most(20.0), none().at_least(0.0), none().between(0.0, 1.0), none().exactly(0.0)] {
            assert_eq!(figure.met, Some(false));
            assert!(table(&[figure]).contains("-  ms"));
        }
        assert_eq!(Figure::count("kill", "lost", 0_usize).exactly(0.0).met, Some(true));
    }

    #[test]
    fn quantiles_are_values_of_the_list() {
        let list: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([0.5, 0.99, 1.0].map(|share| quantile(&list, share)), [51.0, 100.0, 100.0]);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
