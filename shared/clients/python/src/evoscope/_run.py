"""A run that is recorded."""

import logging
import os
import threading
import uuid
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Type

from . import _client, _http
from ._client import Client, Entry
from ._values import line, number, plain, text

log = logging.getLogger("evoscope")

# Part of the configuration, so of the experiment: it changes only if equal configurations would mean something else.
_RECORDING = {"client": "evoscope-python", "version": "1"}

_STATUSES = ("COMPLETED", "FAILED", "STOPPED")

_LARGEST_EXACT = 2**53


class StopRequested(Exception):
    """Ends an optimisation whose framework has no other way. The ``with`` block of the run catches it."""


def start(
    config: Mapping[str, Any],
    seed: int = 1,
    run_id: Optional[str] = None,
    url: Optional[str] = None,
    token: Optional[str] = None,
) -> "Run":
    """Starts to record a run, and returns it. Runs with equal configurations belong to one experiment.

    ``config`` is free; ``algorithm``, ``problem``, ``dimension``, ``instance``, ``direction`` ("min" or "max"),
    ``budget`` and ``target`` have a meaning. ``run_id`` is a new UUID by default. ``url`` and ``token`` of the service
    default to EVOSCOPE_URL (http://127.0.0.1:7070) and EVOSCOPE_TOKEN. Throws TypeError or ValueError for invalid
    arguments, never for a service that is not available.
    """
    if not isinstance(config, Mapping):
        raise TypeError("config must be a mapping, such as {'algorithm': 'CMA-ES', 'problem': 'sphere'}")
    if isinstance(seed, str) or int(seed) != seed or not -(2**63) <= int(seed) < 2**63:
        raise ValueError("seed must be a signed whole number of 64 bits")
    if run_id is not None and not 1 <= len(run_id) <= 200:
        raise ValueError("run_id must have 1 to 200 characters")
    secret = token or os.environ.get("EVOSCOPE_TOKEN")
    client = _client.client_for(_http.configured_url(url), secret)
    return Run(client, run_id or str(uuid.uuid4()), dict(config), int(seed))


class Run:
    """A run that is recorded. Its methods never throw, and never wait for the service."""

    def __init__(self, client: Client, run_id: str, config: Dict[str, Any], seed: int) -> None:
        self.run_id = text(run_id)
        self._client = client
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._next_iteration = 0
        self._evaluations = 0
        self._is_ended = False
        record = {
            "type": "run",
            "runId": self.run_id,
            "config": {**plain(config), "recording": _RECORDING},
            "seed": seed if abs(seed) < _LARGEST_EXACT else str(seed),
            "startTime": _now(),
        }
        client.open(self.run_id, line(record))

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

        ``iteration`` counts up from 0 by default; logging one again replaces it. Further arguments that are numbers are
        metrics; others are added to ``diagnostics``.
        """
        try:
            numbers: Dict[str, Any] = {}
            others: Dict[str, Any] = dict(diagnostics or {})
            for name, value in metrics.items():
                found = number(value)
                if found is not None:
                    numbers[text(name)] = found
                elif value is not None:
                    others[name] = value
            found_best = number(best)
            record: Dict[str, Any] = {
                "evaluations": _whole(evaluations),
                "best": "NaN" if found_best is None else found_best,
                "mean": number(mean),
                "std": number(std),
                "metrics": numbers or None,
                "diagnostics": plain(others) if others else None,
            }
            with self._lock:
                index = self._next_iteration if iteration is None else _whole(iteration)
                self._next_iteration = index + 1
                self._evaluations = max(self._evaluations, record["evaluations"])
            self._add("iteration", {"iteration": index, **record})
        except Exception as error:
            self._report("iteration", error)

    def event(self, type: str, payload: Optional[Mapping[str, Any]] = None) -> None:
        """Records that something happened, such as a restart."""
        try:
            members = plain(dict(payload)) if payload else None
            self._add("event", {"eventType": text(str(type)), "payload": members, "eventId": str(uuid.uuid4())})
        except Exception as error:
            self._report("event", error)

    def checkpoint(self, path: Any, iteration: Optional[int] = None) -> None:
        """Records that a checkpoint was written; ``iteration`` is the last one by default."""
        try:
            with self._lock:
                last = max(self._next_iteration - 1, 0)
            index = last if iteration is None else _whole(iteration)
            self._add("checkpoint", {"iteration": index, "path": text(os.fspath(path))})
        except Exception as error:
            self._report("checkpoint", error)

    @property
    def stop_requested(self) -> bool:
        """Whether a user requested a stop. Known at most about two seconds later."""
        return self._client.stop_of(self.run_id)[0]

    @property
    def stop_reason(self) -> Optional[str]:
        """The reason that the user gave, if any."""
        return self._client.stop_of(self.run_id)[1]

    def raise_if_stopped(self) -> None:
        """Throws StopRequested if a user requested a stop: the one method that throws."""
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
        """Records the end of the run: COMPLETED, FAILED or STOPPED. Only the first call has an effect."""
        try:
            if status not in _STATUSES:
                raise ValueError(f"status must be one of {', '.join(_STATUSES)}")
            record = {
                "status": status,
                "best": number(best),
                "summary": None if summary is None else text(str(summary))[:100_000],
                "evaluations": None if evaluations is None else max(_whole(evaluations), self._evaluations),
                "error": None if error is None else text(str(error))[:100_000],
                "objectives": _finite(objectives),
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
        trace: Optional[TracebackType],
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
        # Frameworks copy algorithms together with their callbacks.
        return self

    def _add(self, type: str, members: Dict[str, Any]) -> None:
        record = {"type": type, "runId": self.run_id, "time": _now()}
        record.update((name, value) for name, value in members.items() if value is not None)
        self._client.add(Entry(self.run_id, line(record)))

    def _report(self, what: str, error: Exception) -> None:
        self._client._warn(what, f"Evoscope could not record this {what}: {type(error).__name__}: {error}")


def _whole(value: Any) -> int:
    found = number(value)
    if found is None or isinstance(found, str) or int(found) != found or found < 0:
        raise ValueError(f"{value!r} is no whole number that is not negative")
    return int(found)


def _finite(objectives: Optional[Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    found = {text(str(name)): number(value) for name, value in (objectives or {}).items()}
    return {name: value for name, value in found.items() if isinstance(value, (int, float))} or None


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
