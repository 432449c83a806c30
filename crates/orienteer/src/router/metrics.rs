//! How often each tool was called, how often it failed, and how long it took.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Percentiles are over the most recent calls, so that they describe now.
const RECENT: usize = 512;

#[derive(Debug, Default)]
struct PerTool {
    count: u64,
    errors: u64,
    total: Duration,
    min: Option<Duration>,
    max: Duration,
    recent: VecDeque<Duration>,
}

/// Figures of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub tool: &'static str,
    pub count: u64,
    pub errors: u64,
    pub mean: Duration,
    pub min: Duration,
    pub p50: Duration,
    pub p95: Duration,
    pub max: Duration,
}

/// For the whole process.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    tools: Mutex<BTreeMap<&'static str, PerTool>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { started: Instant::now(), tools: Mutex::default() }
    }
}

impl Metrics {
    pub fn record(&self, tool: &'static str, took: Duration, failed: bool) {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let figures = tools.entry(tool).or_default();
        figures.count += 1;
        figures.errors += u64::from(failed);
        figures.total += took;
        figures.min = Some(figures.min.map_or(took, |min| min.min(took)));
        figures.max = figures.max.max(took);
        if figures.recent.len() == RECENT {
            figures.recent.pop_front();
        }
        figures.recent.push_back(took);
    }

    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn figures(&self) -> Vec<Figures> {
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        tools
            .iter()
            .map(|(tool, figures)| {
                let mut recent: Vec<Duration> = figures.recent.iter().copied().collect();
                recent.sort_unstable();
                let at = |percent: usize| {
                    let rank = (recent.len() * percent).div_ceil(100).max(1) - 1;
                    recent.get(rank).copied().unwrap_or_default()
                };
                Figures {
                    tool,
                    count: figures.count,
                    errors: figures.errors,
                    mean: figures.total / u32::try_from(figures.count).unwrap_or(u32::MAX).max(1),
                    min: figures.min.unwrap_or_default(),
                    p50: at(50),
                    p95: at(95),
                    max: figures.max,
                }
            })
            .collect()
    }

    /// Calls and failed calls of all tools.
    pub fn totals(&self) -> (u64, u64) {
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        tools.values().fold((0, 0), |(count, errors), tool| (count + tool.count, errors + tool.errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_calls() {
        let metrics = Metrics::default();
        for millis in 1..=100 {
            metrics.record("t", Duration::from_millis(millis), millis % 10 == 0);
        }
        let figures = metrics.figures();
        let ms = Duration::from_millis;
        assert_eq!((figures[0].count, figures[0].errors), (100, 10));
        assert_eq!(
            (figures[0].min, figures[0].p50, figures[0].p95, figures[0].max),
            (ms(1), ms(50), ms(95), ms(100))
        );
        assert_eq!(figures[0].mean, Duration::from_micros(50_500));
        assert_eq!(metrics.totals(), (100, 10));
    }
}
