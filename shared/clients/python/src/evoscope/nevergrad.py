"""Records Nevergrad: call ``evoscope.nevergrad.register(run, optimizer)`` before ``optimizer.minimize``."""

from typing import Any

from ._improvements import Improvements
from ._run import Run


def register(run: Run, optimizer: Any, every: int = 100) -> None:
    """Records evaluations that improve the best so far, and every ``every``-th evaluation.

    Ends the run at the budget of the optimizer. If a user requests a stop, stops the optimizer and ends the run. The
    ``with`` block ends the run of an optimizer without a budget.
    """
    import nevergrad

    records = Improvements(run, every)

    def tell(current: Any, candidate: Any, loss: Any) -> None:
        is_last = current.budget is not None and records.evaluations + 1 >= current.budget
        records.add_evaluation(loss, is_last=is_last)
        if is_last:
            run.end("STOPPED" if run.stop_requested else "COMPLETED", best=records.best)

    def handle_stop_request(current: Any) -> bool:
        if run.stop_requested:
            run.end("STOPPED", best=records.best)
        return run.stop_requested

    optimizer.register_callback("tell", tell)
    optimizer.register_callback("ask", nevergrad.callbacks.EarlyStopping(handle_stop_request))
