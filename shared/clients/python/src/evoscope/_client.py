"""The queue of records of this process, and the thread that sends them.

A caller only appends to the queue. While the process runs, only the sending thread uses the network and the disk. When
the process ends, its main thread waits for the sending thread, and writes the remaining records to the spool.
"""

import atexit
import logging
import os
import random
import sys
import threading
import time
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from . import _http, _spool
from ._http import InvalidRequestError, UnavailableError

log = logging.getLogger("evoscope")

COLLECT_SECONDS = 0.5
POLL_SECONDS = 2.0
EXIT_SECONDS = 5.0
INITIAL_BACK_OFF = 0.5
MAXIMUM_BACK_OFF = 15.0

# While the service is not available, the client writes a queue above the first limit to the spool. It drops new records
# while the queue exceeds the second limit. The queue exceeds that limit if the client cannot write to the spool, or
# sends more slowly than the program records.
MEMORY_BYTES = 16_000_000
MAXIMUM_MEMORY_BYTES = 256_000_000

# The service reads at most 8 MiB of a request.
MAXIMUM_LINE_BYTES = 7_500_000
SPOOL_FILE_BYTES = 8_000_000

# Maximum number of runs whose stop requests one request fetches. If more runs are open, each request selects this
# number of them at random.
POLLED_RUNS = 100


class Entry(NamedTuple):
    """A queued record."""

    run_id: str
    line: bytes
    is_run: bool = False


class Client:
    """Sends the records of all runs of a process to one service."""

    def __init__(self, url: str, token: Optional[str]) -> None:
        self.url = url
        self.token = token
        self._folder = _spool.get_spool_folder()
        self._run_lines: Dict[str, bytes] = {}
        self._stops: Dict[str, Optional[str]] = {}
        self._open_run_ids: Set[str] = set()
        self._warned_kinds: Set[str] = set()
        self._reset()

    def _reset(self) -> None:
        """Resets the queue and the thread. After a fork, the previous ones still belong to the parent process."""
        # A handler of a signal may log while the main thread holds the lock.
        self._lock = threading.RLock()
        self._wake_event = threading.Event()
        self._idle_event = threading.Event()
        self._idle_event.set()
        self._queue: List[Entry] = []
        self._bytes = 0
        self._first_queued_at = 0.0
        self._in_flight_entries: List[Entry] = []
        self._thread: Optional[threading.Thread] = None
        self._is_closing = False
        self._is_closed = False
        self._is_flush_requested = False
        self._has_spool = True
        self._back_off = 0.0
        self._retry_at = 0.0
        self._next_poll = 0.0
        self._batch_lines = _http.BATCH_LINES

    def open(self, run_id: str, line: bytes) -> None:
        """Queues the record of a new run. The client fetches the stop requests of the run until the run ends."""
        with self._lock:
            self._run_lines[run_id] = line
            self._open_run_ids.add(run_id)
        self.add(Entry(run_id, line, True))

    def add(self, entry: Entry) -> None:
        """Queues a record. Takes microseconds, because it uses neither the network nor the disk.

        Drops, with a warning, a record that is too large, and any record while the queue is too large.
        """
        size = len(entry.line)
        if size > MAXIMUM_LINE_BYTES:
            self._warn("size", f"Evoscope drops a record of {size} bytes. Log at most {MAXIMUM_LINE_BYTES} bytes.")
            return
        with self._lock:
            if self._bytes > MAXIMUM_MEMORY_BYTES:
                self._warn(
                    "memory",
                    "Evoscope drops records, because neither the service nor the spool accepts them. "
                    "Start the service, or set EVOSCOPE_SPOOL to a folder with free space.",
                )
                return
            if not self._queue:
                self._first_queued_at = time.monotonic()
            self._queue.append(entry)
            self._bytes += size
            count = len(self._queue)
            self._idle_event.clear()
            self._start()
        if count == 1 or count % _http.BATCH_LINES == 0:
            self._wake_event.set()

    def close_run(self, run_id: str) -> None:
        """Stops fetching the stop requests of a run."""
        with self._lock:
            self._open_run_ids.discard(run_id)

    def get_stop(self, run_id: str) -> Tuple[bool, Optional[str]]:
        """Returns whether a user requested a stop of a run, and the reason of the request; None without a reason."""
        return run_id in self._stops, self._stops.get(run_id)

    def flush(self, timeout: float) -> bool:
        """Sends immediately, and waits at most ``timeout`` seconds until no record waits in the queue or the spool.

        Returns False if a record still waits after this time. The client drops records that the service refuses, so
        they do not wait. Ignores spooled records for other services, and all spooled records while another process
        delivers.
        """
        self._request_flush()
        return self._idle_event.wait(timeout)

    def close(self, timeout: float = EXIT_SECONDS) -> None:
        """Sends for at most ``timeout`` seconds, then writes the remaining records to the spool."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closing = True
            thread = self._thread
        self._request_flush()
        if thread is not None and thread.is_alive():
            thread.join(timeout)
        with self._lock:
            self._is_closed = True
            remaining_entries = self._in_flight_entries + self._queue
            self._in_flight_entries, self._queue = [], []
            self._bytes = 0
        self._spool(remaining_entries)
        self._idle_event.set()

    def _request_flush(self) -> None:
        with self._lock:
            self._is_flush_requested = True
        self._wake_event.set()

    def _start(self) -> None:
        """Starts the thread unless it runs, and reopens a closed client. During the exit, no thread can start."""
        if self._thread is not None and self._thread.is_alive():
            return
        if self._is_closed:
            self._is_closed = self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="evoscope", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None
            return
        _register_exit()

    def _work(self) -> None:
        while True:
            self._wake_event.wait(self._get_wait_seconds())
            self._wake_event.clear()
            # The last step begins after the request to close, so it sends the last records.
            is_last = self._is_closing
            try:
                self._step()
            except Exception as error:  # The thread must survive any error.
                self._delay(UnavailableError(f"{type(error).__name__}: {error}"))
            if is_last:
                return

    def _get_wait_seconds(self) -> Optional[float]:
        """Returns the seconds until the next step; None if the thread waits for a record."""
        now = time.monotonic()
        with self._lock:
            if self._is_closing or self._is_flush_requested:
                return 0.0
            is_full = len(self._queue) >= _http.BATCH_LINES or self._bytes >= _http.BATCH_BYTES
            due_times = []
            if self._queue:
                due_times.append(now if is_full else self._first_queued_at + COLLECT_SECONDS)
            if self._open_run_ids:
                due_times.append(self._next_poll)
            if self._has_spool:
                due_times.append(now)
        if not due_times:
            return None
        return max(min(due_times) - now, self._retry_at - now, 0.0)

    def _step(self) -> None:
        """Sends the queue if it is due, else fetches stop requests if they are due. Then delivers a file of the spool.

        Before the time of the next retry, only writes a large queue to the spool. A flush and the exit do not wait for
        this time. The exit delivers no file.
        """
        now = time.monotonic()
        with self._lock:
            is_flush_requested, self._is_flush_requested = self._is_flush_requested, False
            is_due = self._queue and now >= self._first_queued_at + COLLECT_SECONDS
            is_full = len(self._queue) >= _http.BATCH_LINES or self._bytes >= _http.BATCH_BYTES
        if now < self._retry_at and not is_flush_requested and not self._is_closing:
            self._spool_large_queue()
            return
        try:
            if is_due or is_full or is_flush_requested or self._is_closing:
                while self._queue and not self._is_closed:
                    self._send_batch()
            elif self._open_run_ids and now >= self._next_poll:
                self._request([])
            if self._has_spool and not self._is_closing:
                self._deliver_spool_file()
        except UnavailableError as error:
            self._delay(error)
            self._spool_large_queue()
        with self._lock:
            if not self._queue and not self._in_flight_entries and not self._has_spool:
                self._idle_event.set()

    def _request(self, lines: List[bytes]) -> _http.Response:
        """Sends lines, and fetches the stop requests of the open runs."""
        with self._lock:
            run_ids = sorted(self._open_run_ids)
        if len(run_ids) > POLLED_RUNS:
            run_ids = random.sample(run_ids, POLLED_RUNS)
        timeout = EXIT_SECONDS if self._is_closing else _http.REQUEST_SECONDS
        response = _http.send(self.url, self.token, lines, run_ids, timeout)
        with self._lock:
            self._back_off = self._retry_at = 0.0
            self._next_poll = time.monotonic() + POLL_SECONDS
            self._stops.update(response.stops)
            self._warned_kinds.discard("service")
        return response

    def _send_batch(self) -> None:
        with self._lock:
            lines = [entry.line for entry in self._queue[: self._batch_lines]]
            count = len(_http.split_batches(lines)[0])
            self._in_flight_entries, self._queue = self._queue[:count], self._queue[count:]
        retries: Optional[List[Entry]] = self._in_flight_entries
        try:
            retries, busy_reason = self._list_retries(self._in_flight_entries, self._request(lines[:count]))
            self._batch_lines = _http.BATCH_LINES
            if busy_reason is not None:
                raise UnavailableError(busy_reason)
        except InvalidRequestError as error:
            # One invalid record makes the whole request fail. Smaller batches isolate this record.
            self._batch_lines = max(count // 2, 1)
            if count == 1:
                self._warn("refused", f"Evoscope refused a record: {error}")
                retries = []
        finally:
            with self._lock:
                if not self._is_closed:
                    sent_bytes = sum(len(entry.line) for entry in self._in_flight_entries)
                    self._in_flight_entries = []
                    self._queue = (retries or []) + self._queue
                    self._bytes += sum(len(entry.line) for entry in retries or []) - sent_bytes
                    if self._queue:
                        self._first_queued_at = time.monotonic()

    def _list_retries(self, entries: List[Entry], response: _http.Response) -> Tuple[List[Entry], Optional[str]]:
        """Returns the entries to send again, and the reason if the service is busy; None if it is not busy.

        The entries are in order. The record of a run precedes the entries that the service rejected because it does not
        know the run. Drops all other rejected entries, with a warning.
        """
        sent_run_ids = {entry.run_id for entry in entries if entry.is_run}
        retries: List[Entry] = []
        busy_reason: Optional[str] = None
        for index, (code, message) in sorted(response.rejections.items()):
            if not 0 <= index < len(entries):
                continue
            entry = entries[index]
            run_line = self._run_lines.get(entry.run_id)
            if code == "BUSY":
                busy_reason = busy_reason or message
                retries.append(entry)
            elif code == "RUN_UNKNOWN" and run_line is not None and entry.run_id not in sent_run_ids:
                if not any(retry.is_run and retry.run_id == entry.run_id for retry in retries):
                    retries.append(Entry(entry.run_id, run_line, True))
                retries.append(entry)
            else:
                self._warn(f"rejected {entry.run_id}", f"Evoscope refused a record of run {entry.run_id}: {message}")
        return retries, busy_reason

    def _deliver_spool_file(self) -> None:
        """Delivers only the oldest file for this service, because new records must not wait for an old backlog."""
        with _spool.lock(self._folder) as is_locked:
            paths = _spool.list_files(self._folder) if is_locked else []
            for path in paths:
                service, lines = _spool.read(path)
                if service == self.url:
                    _spool.deliver_file(self.url, self.token, path, lines)
                    self._back_off = 0.0
                    self._warned_kinds.discard("service")
                    return
        self._has_spool = False

    def _delay(self, error: UnavailableError) -> None:
        with self._lock:
            self._back_off = min(max(self._back_off * 2, INITIAL_BACK_OFF), MAXIMUM_BACK_OFF)
            delay = self._back_off * random.uniform(0.75, 1.25)
            self._retry_at = time.monotonic() + max(delay, error.retry_after or 0.0)
        self._warn("service", f"Evoscope at {self.url} stores no records now: {error}. The client sends them later.")

    def _spool_large_queue(self) -> None:
        """Writes the queue to the spool if it is too large for the memory."""
        with self._lock:
            if self._bytes <= MEMORY_BYTES or self._is_closed:
                return
            self._in_flight_entries, self._queue = self._queue, []
        is_written = self._spool(self._in_flight_entries)
        with self._lock:
            if not self._is_closed:
                if not is_written:
                    self._queue = self._in_flight_entries + self._queue
                self._in_flight_entries = []
                self._bytes = sum(len(entry.line) for entry in self._queue)

    def _spool(self, entries: List[Entry]) -> bool:
        """Writes entries to files. Returns False, with a warning, if it cannot write a file.

        Each file also contains the records of the runs of its entries.
        """
        try:
            while entries:
                size = count = 0
                for entry in entries:
                    size += len(entry.line)
                    if count and size > SPOOL_FILE_BYTES:
                        break
                    count += 1
                batch, entries = entries[:count], entries[count:]
                run_ids = dict.fromkeys(entry.run_id for entry in batch)
                run_lines = [self._run_lines[run_id] for run_id in run_ids if run_id in self._run_lines]
                lines = run_lines + [entry.line for entry in batch if not entry.is_run]
                _spool.write(self._folder, self.url, lines)
                self._has_spool = True
            return True
        except OSError as error:
            reason = f"Evoscope cannot write to its spool {self._folder}: {error}."
            self._warn("spool", f"{reason} Set EVOSCOPE_SPOOL to a folder that it can write to.")
            return False

    def _warn(self, kind: str, message: str) -> None:
        """Logs only the first warning of each kind. After a response, logs the next failure of the service again."""
        with self._lock:
            if kind in self._warned_kinds:
                return
            self._warned_kinds.add(kind)
        log.warning("%s", message)


_clients: Dict[Tuple[str, Optional[str], str], Client] = {}
_clients_lock = threading.RLock()
_registered_pid: Optional[int] = None


def get_client(url: str, token: Optional[str]) -> Client:
    """Returns the client of this process for a service. Runs with the same service, token and spool folder share it."""
    with _clients_lock:
        key = (url, token, str(_spool.get_spool_folder()))
        if key not in _clients:
            _clients[key] = Client(url, token)
        return _clients[key]


def flush(timeout: float = EXIT_SECONDS) -> bool:
    """Sends immediately, and waits at most ``timeout`` seconds until no record waits in the queue or the spool.

    Returns False if a record still waits after this time. The client drops records that the service refuses, with a
    warning. Ignores spooled records for services that this process does not use, and spooled records that another
    process delivers.
    """
    deadline = time.monotonic() + timeout
    with _clients_lock:
        clients = list(_clients.values())
    return all([client.flush(max(deadline - time.monotonic(), 0.0)) for client in clients])


def _close_all() -> None:
    deadline = time.monotonic() + EXIT_SECONDS
    for client in list(_clients.values()):
        client.close(max(deadline - time.monotonic(), 0.0))


def _register_exit() -> None:
    """Registers the function that closes all clients at the end of the process.

    A child process of multiprocessing ends without atexit, so its finalizers call the function.
    """
    global _registered_pid
    if _registered_pid == os.getpid():
        return
    is_first = _registered_pid is None
    _registered_pid = os.getpid()
    if is_first:
        atexit.register(_close_all)
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _close_all, exitpriority=0)


def _after_fork() -> None:
    global _clients_lock
    _clients_lock = threading.RLock()
    for client in _clients.values():
        client._reset()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
