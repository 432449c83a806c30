//! How long a server takes, by method.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Samples kept of each method: enough for a percentile, little enough to forget a slow morning.
const KEPT: usize = 256;

/// How long one kind of request takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    pub method: String,
    pub count: u64,
    pub last_ms: f64,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub max_ms: f64,
}

#[derive(Debug, Default)]
struct Samples {
    count: u64,
    last: Duration,
    max: Duration,
    recent: Vec<Duration>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Mutex<BTreeMap<String, Samples>>);

impl Latencies {
    pub(crate) fn record(&self, method: &str, took: Duration) {
        let mut methods = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !methods.contains_key(method) {
            methods.insert(method.to_owned(), Samples::default());
        }
        let Some(samples) = methods.get_mut(method) else { return };
        let at = usize::try_from(samples.count).unwrap_or_default() % KEPT;
        samples.count += 1;
        samples.last = took;
        samples.max = samples.max.max(took);
        match samples.recent.get_mut(at) {
            Some(old) => *old = took,
            None => samples.recent.push(took),
        }
    }

    pub(crate) fn all(&self) -> Vec<Latency> {
        let methods = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        methods
            .iter()
            .map(|(method, samples)| {
                let mut sorted = samples.recent.clone();
                sorted.sort_unstable();
                let at = |percent: usize| {
                    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
                    millis(sorted.get(index).copied().unwrap_or_default())
                };
                Latency {
                    method: method.clone(),
                    count: samples.count,
                    last_ms: millis(samples.last),
                    p50_ms: at(50),
                    p95_ms: at(95),
                    max_ms: millis(samples.max),
                }
            })
            .collect()
    }
}

fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_maximum() {
        let latencies = Latencies::default();
        for ms in 1..=100 {
            latencies.record("hover", Duration::from_millis(ms));
        }
        let all = latencies.all();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].count, all[0].p50_ms, all[0].p95_ms, all[0].max_ms), (100, 51.0, 96.0, 100.0));
        latencies.record("hover", Duration::from_micros(2_500));
        assert_eq!((latencies.all()[0].last_ms, latencies.all()[0].max_ms), (2.5, 100.0));
    }
}
