"""Records the evaluations of frameworks that report each evaluation."""

import threading
from typing import Any, Optional

from ._run import Run


class Improvements:
    """Logs only evaluations that improve the best fitness so far, and every ``every``-th evaluation.

    The end of the run logs the last evaluation if it has no row.
    """

    def __init__(self, run: Run, every: int, is_maximised: bool = False) -> None:
        self.run = run
        self.evaluations = 0
        self.best: Optional[float] = None
        self._every = max(every, 1)
        self.is_maximised = is_maximised
        self._lock = threading.Lock()

    def add_evaluation(self, value: Any, evaluations: Optional[int] = None, is_last: bool = False) -> None:
        """Counts an evaluation. Logs it if it improves the best fitness, is an ``every``-th one, or is the last one.

        ``value`` is the fitness of the evaluation, and NaN does not improve. ``evaluations`` is the number of
        evaluations so far, by default one more than before. The logged best fitness is None before the first
        improvement. Throws the error of ``float`` for a value that is not a number.
        """
        fitness = float(value)
        # The lock makes threads log in the order of their evaluations.
        with self._lock:
            self.evaluations = self.evaluations + 1 if evaluations is None else evaluations
            is_better = fitness == fitness and (
                self.best is None or (fitness > self.best if self.is_maximised else fitness < self.best)
            )
            if is_better:
                self.best = fitness
            if is_better or is_last or self.evaluations % self._every == 0:
                self.run._pending_evaluation = None
                self.run.log(evaluations=self.evaluations, best=self.best)
            else:
                self.run._pending_evaluation = (self.evaluations, self.best)
