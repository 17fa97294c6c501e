"""Records IOHexperimenter: ``problem.attach_logger(evoscope.ioh.logger(run))``."""

from typing import Any, List

from ._improvements import Improvements
from ._run import Run

# All loggers. A problem does not retain its logger, and the process crashes if the problem calls a deleted logger.
_loggers: List[Any] = []


def logger(run: Run, every: int = 100) -> Any:
    """Returns a logger that records evaluations that improve the best so far, and every ``every``-th evaluation.

    The ``with`` block ends the run. After ``problem.reset()``, the logger continues the count of evaluations, as
    after a restart. If a user requests a stop, the next evaluation throws StopRequested, which the ``with`` block
    catches.
    """
    import ioh

    class EvoscopeLogger(ioh.logger.AbstractLogger):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(triggers=[ioh.logger.trigger.ALWAYS], properties=[])
            self.records = Improvements(run, every)
            self.earlier_evaluations = 0

        def attach_problem(self, problem: Any) -> None:
            super().attach_problem(problem)
            self.records.is_maximised = problem.optimization_type == ioh.OptimizationType.MAX

        def __call__(self, info: Any) -> None:
            # The count restarts at 1 for another problem, and after a reset, which attaches the problem again.
            if info.evaluations <= self.records.evaluations - self.earlier_evaluations:
                self.earlier_evaluations = self.records.evaluations
            self.records.add_evaluation(info.raw_y_best, evaluations=self.earlier_evaluations + info.evaluations)
            run.raise_if_stopped()

    evoscope_logger = EvoscopeLogger()
    _loggers.append(evoscope_logger)
    return evoscope_logger
