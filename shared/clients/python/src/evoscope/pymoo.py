"""Records pymoo: ``minimize(..., callback=evoscope.pymoo.callback(run))``."""

from typing import Any, Callable, Optional

from ._run import Run


def callback(run: Run, best: Optional[Callable[[Any], Any]] = None) -> Callable[[Any], None]:
    """Returns a callback that records each generation, and ends the run after the last one.

    If a user requests a stop, the callback terminates the algorithm and ends the run. ``best`` computes the best
    fitness so far from the algorithm. The default is the best feasible objective value, or NaN without a feasible
    individual. With several objectives, the default is always NaN: pass a function that computes, for example, the
    hypervolume.
    """
    from pymoo.core.callback import Callback

    class EvoscopeCallback(Callback):  # type: ignore[misc]
        def notify(self, algorithm: Any) -> None:
            value = best(algorithm) if best else _get_best(algorithm)
            run.log(evaluations=algorithm.evaluator.n_eval, best=value, n_gen=algorithm.n_gen)
            if run.stop_requested:
                algorithm.termination.terminate()
                run.end("STOPPED", best=value)
            elif not algorithm.has_next():
                run.end(best=value)

    return EvoscopeCallback()


def _get_best(algorithm: Any) -> Any:
    if algorithm.problem.n_obj != 1:
        return None
    feasible_values = [
        individual.F[0]
        for individual in (algorithm.opt if algorithm.opt is not None else [])
        if individual.FEAS[0]
    ]
    return min(feasible_values, default=None)
