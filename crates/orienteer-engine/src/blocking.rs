//! Running synchronous work from a future, so that dropping the future stops the work.

use orienteer_base::error::panic_message;
use orienteer_base::{Cancel, ErrorKind, Problem};

/// Sets the flag when the waiting future goes away before the work has ended.
struct StopOnDrop {
    cancel: Cancel,
    ended: bool,
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if !self.ended {
            self.cancel.cancel();
        }
    }
}

/// Runs `work` on the blocking pool. A panic inside it is an error of this call alone.
pub(crate) async fn blocking<T: Send + 'static>(
    cancel: &Cancel,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let mut stop = StopOnDrop { cancel: cancel.clone(), ended: false };
    let result = tokio::task::spawn_blocking(work).await;
    // A call may ask several questions, one after the other, with the same flag.
    stop.ended = true;
    match result {
        Ok(result) => result,
        Err(error) if error.is_panic() => {
            let message = panic_message(error.into_panic().as_ref());
            Err(Problem::new(ErrorKind::InternalError, format!("the work panicked: {message}")))
        }
        Err(_) => Err(Problem::new(ErrorKind::Cancelled, "the process is shutting down")),
    }
}

/// Runs work that takes less time than handing it to another thread and back: a look at one or a few files. Nothing
/// can stop it, so it must not be able to take long. `at_hand`: what it looks at is in memory. Then it takes microseconds,
/// and a thread is not even woken to do what else this one has to do.
pub(crate) async fn quick<T: Send + 'static>(
    cancel: &Cancel,
    at_hand: bool,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if at_hand {
        return work();
    }
    if tokio::runtime::Handle::current().runtime_flavor() == tokio::runtime::RuntimeFlavor::MultiThread {
        tokio::task::block_in_place(work)
    } else {
        blocking(cancel, work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[tokio::test]
    async fn a_panic_is_a_problem() {
        let result = blocking::<()>(&Cancel::new(), || panic!("on purpose")).await;
        let problem = result.unwrap_err();
        assert_eq!(problem.kind, ErrorKind::InternalError);
        assert_eq!(problem.message, "the work panicked: on purpose");
    }

    #[tokio::test]
    async fn one_flag_serves_several_questions() {
        let cancel = Cancel::new();
        for expected in [1, 2] {
            let flag = cancel.clone();
            let answer = blocking(&cancel, move || Ok(flag.check().map(|()| expected)?)).await;
            assert_eq!(answer, Ok(expected));
        }
    }

    #[tokio::test]
    async fn dropping_the_future_stops_the_work() {
        let cancel = Cancel::new();
        let (started, seen) = std::sync::mpsc::channel();
        let (finished, end) = std::sync::mpsc::channel();
        let flag = cancel.clone();
        let future = blocking(&cancel, move || {
            started.send(()).unwrap();
            while !flag.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            finished.send(Instant::now()).unwrap();
            Ok(())
        });
        let waited = tokio::time::timeout(Duration::from_millis(50), future).await;
        let dropped = Instant::now();
        assert!(waited.is_err(), "the work must still be running");
        seen.recv().unwrap();
        let ended = end.recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(ended.duration_since(dropped) < Duration::from_millis(100));
    }
}
