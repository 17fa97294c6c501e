"""Files with records that the client could not send.

Each file is complete: it names its service, and contains the ``run`` record of each of its runs.
"""

import json
import logging
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Iterator, List, Optional, Sequence

from . import _http

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

log = logging.getLogger("evoscope")

_SUFFIX = ".ndjson"


def get_spool_folder() -> Path:
    """Returns the folder that EVOSCOPE_SPOOL names, by default one in the user's cache. Does not create it."""
    configured_folder = os.environ.get("EVOSCOPE_SPOOL")
    if configured_folder:
        return Path(configured_folder)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "evoscope" / "spool"


def write(folder: Path, url: str, lines: Sequence[bytes]) -> None:
    """Writes lines to a new file, which other processes see only when it is complete. Creates the folder.

    Throws OSError if it cannot write.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The names sort by time.
    prefix = f"{time.time_ns():020d}-{os.getpid()}-"
    descriptor, temporary_path = tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps({"url": url}).encode() + b"\n" + b"\n".join(lines) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary_path, temporary_path[: -len(".tmp")] + _SUFFIX)
    except BaseException:
        Path(temporary_path).unlink()
        raise


def list_files(folder: Path) -> List[Path]:
    """Returns the waiting files, the oldest first. The list is empty if the folder is missing or unreadable."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except OSError:
        return []


@contextmanager
def lock(folder: Path) -> Iterator[bool]:
    """Acquires the lock of deliveries, and releases it when the block or the process ends.

    Yields whether it has the lock: False if another delivery has it, also one of this process, and if the lock file
    cannot be opened.
    """
    try:
        file: IO[bytes] = open(folder / "lock", "ab")
    except OSError:
        yield False
        return
    with file:
        yield _try_lock(file)


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False


def read(path: Path) -> "tuple[Optional[str], List[bytes]]":
    """Returns the service and the lines of a file. Returns None and no lines if it is not a readable spool file."""
    try:
        header, *lines = path.read_bytes().split(b"\n")
        return str(json.loads(header)["url"]), [line for line in lines if line]
    except (OSError, ValueError, KeyError, TypeError):
        return None, []


def deliver_file(url: str, token: Optional[str], path: Path, lines: Sequence[bytes]) -> int:
    """Sends the lines of a file, deletes the file, and returns the number of lines, including refused ones.

    Retains the file and throws UnavailableError if the service does not store the lines now. Throws OSError if it
    cannot delete the file.
    """
    for batch in _http.split_batches(lines):
        _deliver_batch(url, token, batch)
    path.unlink()
    return len(lines)


def _deliver_batch(url: str, token: Optional[str], batch: Sequence[bytes]) -> None:
    try:
        response = _http.send(url, token, batch)
    except _http.InvalidRequestError as error:
        if len(batch) == 1:
            log.warning("Evoscope refused a record: %s", error)
            return
        half = len(batch) // 2
        _deliver_batch(url, token, batch[:half])
        _deliver_batch(url, token, batch[half:])
        return
    rejections = list(response.rejections.values())
    for code, message in rejections:
        if code == "BUSY":
            raise _http.UnavailableError(message, 1.0)
    if rejections:
        records = "a record" if len(rejections) == 1 else f"{len(rejections)} records"
        log.warning("Evoscope refused %s: %s", records, rejections[0][1])


@dataclass
class Delivery:
    """Result of a delivery to ``url``.

    ``delivered`` is the number of sent records, including refused ones. ``waiting`` is the number of files that still
    wait for this service. ``other_urls`` are the other services for which files wait.
    """

    url: str
    delivered: int
    waiting: int
    other_urls: List[str]


def deliver(url: Optional[str] = None, token: Optional[str] = None) -> Delivery:
    """Sends the records that wait for a service (by default EVOSCOPE_URL), and returns the result.

    Records for other services stay, because only this service receives the token (by default EVOSCOPE_TOKEN). During
    another delivery, also one of this process, sends nothing, and counts all files for this service as waiting. Ignores
    unreadable files. Throws ValueError for an invalid address, and OSError if it cannot delete a file.
    """
    target = _http.get_configured_url(url)
    secret = token or os.environ.get("EVOSCOPE_TOKEN")
    folder = get_spool_folder()
    result = Delivery(target, 0, 0, [])
    other_urls = set()
    with lock(folder) as is_locked:
        is_available = is_locked
        for path in list_files(folder):
            service, lines = read(path)
            if service is not None and service != target:
                other_urls.add(service)
            if service != target:
                continue
            if is_available:
                try:
                    result.delivered += deliver_file(target, secret, path, lines)
                    continue
                except _http.UnavailableError as error:
                    log.warning("Evoscope at %s stores no records now: %s. Deliver them again later.", target, error)
                    is_available = False
            result.waiting += 1
    result.other_urls = sorted(other_urls)
    return result
