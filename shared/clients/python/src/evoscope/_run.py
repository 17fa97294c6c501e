"""A run that a program records."""

import logging
import os
import threading
import uuid
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Tuple, Type

from . import _client, _http
from ._client import Client, Entry
from ._values import to_line, to_number, to_plain_value, to_text

log = logging.getLogger("evoscope")

# The client adds this section to each configuration, so it is part of the experiment. Change it only if the meaning of
# a configuration changes.
_RECORDING = {"client": "evoscope-python", "version": "1"}

_STATUSES = ("COMPLETED", "FAILED", "STOPPED")

_MAXIMUM_EXACT_INTEGER = 2**53


class StopRequested(Exception):
    """Error that ends an optimisation if its framework has no other way to stop. The ``with`` block catches it."""


def start(
    config: Mapping[str, Any],
    seed: int = 1,
    run_id: Optional[str] = None,
    url: Optional[str] = None,
    token: Optional[str] = None,
) -> "Run":
    """Starts to record a run, and returns it. Runs with equal configurations belong to one experiment.

    ``config`` can contain any values. Evoscope interprets ``algorithm``, ``problem``, ``dimension``, ``instance``,
    ``direction`` ("min" or "max"), ``budget`` and ``target``. ``run_id`` is a new UUID by default. ``url`` and
    ``token`` of the service default to EVOSCOPE_URL, else http://127.0.0.1:7070, and EVOSCOPE_TOKEN. Throws TypeError
    or ValueError for invalid arguments, and the error of a value of ``config`` that it cannot convert to text. Does not
    throw if the service is not available.
    """
    if not isinstance(config, Mapping):
        raise TypeError("config must be a mapping, such as {'algorithm': 'CMA-ES', 'problem': 'sphere'}")
    # The range also excludes NaN and infinities, which ``int`` cannot convert.
    if isinstance(seed, str) or not -(2**63) <= seed < 2**63 or int(seed) != seed:
        raise ValueError("seed must be a signed whole number of 64 bits")
    if run_id is not None and not 1 <= len(run_id) <= 200:
        raise ValueError("run_id must have 1 to 200 characters")
    secret = token or os.environ.get("EVOSCOPE_TOKEN")
    client = _client.get_client(_http.get_configured_url(url), secret)
    return Run(client, run_id or str(uuid.uuid4()), dict(config), int(seed))


class Run:
    """A run that a program records.

    Its methods never wait for the service, and only ``raise_if_stopped`` throws. For arguments that they cannot record,
    they log a warning, once per service for each name of a number and each kind of record.
    """

    def __init__(self, client: Client, run_id: str, config: Dict[str, Any], seed: int) -> None:
        self.run_id = to_text(run_id)
        self._client = client
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._next_iteration = 0
        self._evaluations = 0
        # Number of evaluations and best fitness after the last evaluation of a framework; None if a row contains them.
        self._pending_evaluation: Optional[Tuple[int, Optional[float]]] = None
        self._is_ended = False
        plain_config = to_plain_value(config)
        recording = plain_config.get("recording")
        own_members = recording if isinstance(recording, dict) else {} if recording is None else {"params": recording}
        record = {
            "type": "run",
            "runId": self.run_id,
            "config": {**plain_config, "recording": {**own_members, **_RECORDING}},
            "seed": seed if abs(seed) < _MAXIMUM_EXACT_INTEGER else str(seed),
            "startTime": _format_now(),
        }
        client.open(self.run_id, to_line(record))

    def log(
        self,
        *,
        evaluations: Any,
        best: Any,
        iteration: Optional[int] = None,
        mean: Any = None,
        std: Any = None,
        diagnostics: Optional[Mapping[str, Any]] = None,
        **metrics: Any,
    ) -> None:
        """Records an iteration: the evaluations so far and the best fitness so far.

        Records a ``best`` that is not a number as NaN. ``iteration`` is by default 0 for the first call, then one more
        than in the previous call. Logging the same number again replaces the iteration. Further arguments that are
        numbers are metrics. The method adds all others except None to ``diagnostics``.
        """
        try:
            numbers: Dict[str, Any] = {}
            other_values: Dict[str, Any] = dict(diagnostics or {})
            for name, value in metrics.items():
                metric = to_number(value)
                if metric is not None:
                    numbers[to_text(name)] = metric
                elif value is not None:
                    other_values[name] = value
            best_number = self._read_number("best", best)
            record: Dict[str, Any] = {
                "evaluations": _parse_count("evaluations", evaluations),
                "best": "NaN" if best_number is None else best_number,
                "mean": self._read_number("mean", mean),
                "std": self._read_number("std", std),
                "metrics": numbers or None,
                "diagnostics": to_plain_value(other_values) if other_values else None,
            }
            with self._lock:
                index = self._next_iteration if iteration is None else _parse_count("iteration", iteration)
                self._next_iteration = index + 1
                self._evaluations = max(self._evaluations, record["evaluations"])
            self._add("iteration", {"iteration": index, **record})
        except Exception as error:
            self._report("iteration", error)

    def event(self, type: str, payload: Optional[Mapping[str, Any]] = None) -> None:
        """Records an event, such as a restart, with its payload."""
        try:
            members = to_plain_value(dict(payload)) if payload else None
            self._add("event", {"eventType": to_text(str(type)), "payload": members, "eventId": str(uuid.uuid4())})
        except Exception as error:
            self._report("event", error)

    def checkpoint(self, path: Any, iteration: Optional[int] = None) -> None:
        """Records the path of a checkpoint that the program wrote.

        ``iteration`` is the last logged iteration by default, or 0 if there is none.
        """
        try:
            with self._lock:
                last_iteration = max(self._next_iteration - 1, 0)
            index = last_iteration if iteration is None else _parse_count("iteration", iteration)
            self._add("checkpoint", {"iteration": index, "path": to_text(os.fspath(path))})
        except Exception as error:
            self._report("checkpoint", error)

    @property
    def stop_requested(self) -> bool:
        """Whether a user requested a stop. Until the run ends, the client fetches stop requests about every 2 s."""
        return self._client.get_stop(self.run_id)[0]

    @property
    def stop_reason(self) -> Optional[str]:
        """The reason of the stop request; None without a stop request or a reason."""
        return self._client.get_stop(self.run_id)[1]

    def raise_if_stopped(self) -> None:
        """Throws StopRequested if a user requested a stop. No other method throws."""
        if self.stop_requested:
            raise StopRequested(self.stop_reason or "a user requested a stop")

    def end(
        self,
        status: str = "COMPLETED",
        best: Any = None,
        summary: Optional[str] = None,
        evaluations: Any = None,
        error: Optional[str] = None,
        objectives: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Records the end of the run: COMPLETED, FAILED or STOPPED. Only the first valid call has an effect.

        Records the largest logged number if ``evaluations`` is smaller. Truncates ``summary`` and ``error`` after
        100,000 characters. Omits ``objectives`` that are not finite numbers.
        """
        try:
            if status not in _STATUSES:
                raise ValueError(f"status must be one of {', '.join(_STATUSES)}")
            self._log_pending_evaluation()
            record = {
                "status": status,
                "best": self._read_number("final best", best),
                "summary": None if summary is None else to_text(str(summary))[:100_000],
                "evaluations": None
                if evaluations is None
                else max(_parse_count("evaluations", evaluations), self._evaluations),
                "error": None if error is None else to_text(str(error))[:100_000],
                "objectives": _select_finite(objectives),
            }
            with self._lock:
                if self._is_ended:
                    return
                self._is_ended = True
            self._add("end", record)
            self._client.close_run(self.run_id)
        except Exception as fault:
            self._report("end", fault)

    def __enter__(self) -> "Run":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool:
        # A child process that leaves the block does not end the run of its parent.
        if os.getpid() != self._pid:
            return False
        is_stop = isinstance(error, StopRequested)
        if is_stop or isinstance(error, KeyboardInterrupt) or self.stop_requested:
            self.end("STOPPED")
        elif error is None or (isinstance(error, SystemExit) and not error.code):
            self.end()
        else:
            self.end("FAILED", error=f"{type(error).__name__}: {error}")
        return is_stop

    def __deepcopy__(self, memo: Any) -> "Run":
        # Frameworks copy algorithms together with their callbacks. The copies must record the same run.
        return self

    def _log_pending_evaluation(self) -> None:
        with self._lock:
            if self._pending_evaluation is not None and not self._is_ended:
                evaluations, best = self._pending_evaluation
                self._pending_evaluation = None
                self.log(evaluations=evaluations, best=best)

    def _add(self, type: str, members: Dict[str, Any]) -> None:
        record = {"type": type, "runId": self.run_id, "time": _format_now()}
        record.update((name, value) for name, value in members.items() if value is not None)
        self._client.add(Entry(self.run_id, to_line(record)))

    def _read_number(self, name: str, value: Any) -> Optional[Any]:
        """Returns a number as JSON, and None for any other value. Logs a warning unless the value is None."""
        number = to_number(value)
        if number is None and value is not None:
            kind = f"a value of the type {type(value).__name__}"
            self._client._warn(name, f"Evoscope could not record this {name}: {kind} is not a number. Pass a number.")
        return number

    def _report(self, kind: str, error: Exception) -> None:
        reason = f"Evoscope could not record this {kind}: {type(error).__name__}: {error}."
        self._client._warn(kind, f"{reason} Correct its values.")


def _parse_count(name: str, value: Any) -> int:
    count = to_number(value)
    if count is None or isinstance(count, str) or int(count) != count or count < 0:
        raise ValueError(f"{name} must be a whole number of at least 0, not {value!r}")
    return int(count)


def _select_finite(objectives: Optional[Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    numbers = {to_text(str(name)): to_number(value) for name, value in (objectives or {}).items()}
    return {name: value for name, value in numbers.items() if isinstance(value, (int, float))} or None


def _format_now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
