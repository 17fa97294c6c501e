"""Records of frameworks that report single evaluations."""

import threading
from typing import Any, Optional

from ._run import Run


class Improvements:
    """Logs only the evaluations that improve the best so far, and every ``every``-th.

    The end of the run logs the last evaluation.
    """

    def __init__(self, run: Run, every: int, is_maximised: bool = False) -> None:
        self.run = run
        self.evaluations = 0
        self.best: Optional[float] = None
        self._every = max(every, 1)
        self.is_maximised = is_maximised
        self._lock = threading.Lock()

    def add_evaluation(self, value: Any, evaluations: Optional[int] = None, is_last: bool = False) -> None:
        """Counts an evaluation with its fitness, and logs it if it improves, is the ``every``-th or ``is_last``.

        NaN is no improvement. The logged best fitness is None before the first improvement. Throws the error of
        ``float`` for a value that is not a number.
        """
        fitness = float(value)
        # Threads log in the order of their evaluations.
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
