"""Records pycma: ``cma.fmin2(..., callback=evoscope.cma.callback(run))``. ``es.optimize`` accepts it too."""

import math
from typing import Any, Callable

from ._run import Run


def callback(run: Run, ends: bool = True) -> Callable[[Any], None]:
    """Returns a callback that records each iteration, and ends the run after the last one.

    If a user requests a stop, the callback stops the optimisation and ends the run. For restarts, pass ``ends=False``,
    because each restart has a last iteration. The ``with`` block then ends the run.
    """
    evaluations = 0
    best: Any = None

    def record(es: Any) -> None:
        nonlocal evaluations, best
        evaluations = max(evaluations, int(es.countevals))
        if best is None or es.best.f < best:
            best = es.best.f
        fitnesses = [float(value) for value in es.fit.fit]
        mean = sum(fitnesses) / len(fitnesses) if fitnesses else None
        run.log(evaluations=evaluations, best=best, mean=mean, std=_compute_deviation(fitnesses), sigma=es.sigma)
        if run.stop_requested:
            es.opts["termination_callback"] = [lambda _: True]
            run.end("STOPPED", best=best)
        elif ends and es.stop():
            run.end(best=best)

    return record


def _compute_deviation(values: Any) -> Any:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    try:
        return (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    except OverflowError:
        return math.inf
