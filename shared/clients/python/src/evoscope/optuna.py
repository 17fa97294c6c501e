"""Records Optuna: ``study.optimize(..., callbacks=[evoscope.optuna.callback(run, n_trials)])``."""

import threading
from typing import Any, Callable, Optional

from ._improvements import Improvements
from ._run import Run


def callback(run: Run, n_trials: Optional[int] = None) -> Callable[[Any, Any], None]:
    """Returns a callback that records each trial, and ends the run after ``n_trials``.

    If a user requests a stop, the callback stops the study and ends the run. Without ``n_trials``, the ``with`` block
    ends the run. With several objectives, the callback records the first. Failed and pruned trials count as
    evaluations.
    """
    records: Optional[Improvements] = None
    # A study with n_jobs calls the callback in several threads.
    lock = threading.Lock()

    def record(study: Any, trial: Any) -> None:
        nonlocal records
        with lock:
            if records is None:
                records = Improvements(run, 1, study.directions[0].name == "MAXIMIZE")
        is_complete = trial.state.name == "COMPLETE"
        records.add_evaluation(trial.values[0] if is_complete else float("nan"))
        if run.stop_requested:
            study.stop()
            run.end("STOPPED", best=records.best)
        elif n_trials is not None and records.evaluations >= n_trials:
            run.end(best=records.best)

    return record
