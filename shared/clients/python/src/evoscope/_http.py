"""Sends records to the service.

Uses no proxy and follows no redirect, because only the configured address may receive the token.
"""

import encodings.idna  # noqa: F401
import gzip
import http.client
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote, urlsplit

# If a program forks while the sending thread imports the codec of host names, the child process cannot load the codec
# ("unknown encoding: idna"). Therefore this module loads it first.
"".encode("idna")

DEFAULT_URL = "http://127.0.0.1:7070"
# Maximum size of a request: number of lines, and bytes before compression.
BATCH_LINES = 2_000
BATCH_BYTES = 1_000_000

REQUEST_SECONDS = 10.0

# Statuses of requests that fail again if the client repeats them.
_INVALID_STATUSES = (400, 413, 415, 422)

_MAXIMUM_RESPONSE_BYTES = 16_000_000


def get_configured_url(url: Optional[str] = None) -> str:
    """Returns the address of the service, without a slash at its end. Throws ValueError for an invalid address."""
    address = (url or os.environ.get("EVOSCOPE_URL") or DEFAULT_URL).rstrip("/")
    if not _is_service_address(address):
        raise ValueError(f"{address!r} is not the address of a service: use one such as {DEFAULT_URL}")
    return address


def _is_service_address(address: str) -> bool:
    if any(character.isspace() or character in "?#" for character in address):
        return False
    try:
        parts = urlsplit(address)
        # Reading an invalid port throws ValueError.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class UnavailableError(Exception):
    """Error of a request whose records the service may not have stored.

    Send the records again. If ``retry_after`` is not None, first wait for this number of seconds.
    """

    def __init__(self, message: str, retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class InvalidRequestError(Exception):
    """Error of a request that the service refuses as a whole, now and later."""


@dataclass
class Response:
    """The response of the service.

    ``rejections`` contains the code and the message of each rejected line by the index of the line, from 0. ``stops``
    contains the reason of each stop request by the id of its run; None for a request without a reason.
    """

    rejections: Dict[int, Tuple[str, str]] = field(default_factory=dict)
    stops: Dict[str, Optional[str]] = field(default_factory=dict)


def send(
    url: str,
    token: Optional[str],
    lines: Sequence[bytes],
    run_ids: Sequence[str] = (),
    timeout: float = REQUEST_SECONDS,
) -> Response:
    """Sends lines, and fetches the stop requests of these runs. Throws UnavailableError or InvalidRequestError.

    ``timeout`` limits each wait for the service, in seconds. The request fails if its response still arrives after this
    time.
    """
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    deadline = time.monotonic() + timeout
    query = "&".join("run=" + quote(run_id, safe="") for run_id in run_ids)
    path = f"{parts.path}/api/record" + (f"?{query}" if query else "")
    headers = {"Content-Type": "application/x-ndjson", "Connection": "close"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = b""
    if lines:
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(b"\n".join(lines), 1)
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=timeout)
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            content = _read(response, deadline)
            status, retry_after = response.status, response.getheader("Retry-After")
        finally:
            connection.close()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnavailableError(f"{type(error).__name__}: {error}") from None
    if status == 200:
        return _parse(content)
    message = f"HTTP {status} {_get_detail(content)}".strip()
    if status in _INVALID_STATUSES:
        raise InvalidRequestError(message)
    raise UnavailableError(message, _parse_seconds(retry_after))


def _read(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """Reads a response. Throws OSError after the deadline, or if the response is too long.

    The deadline is necessary, because the timeout of a socket restarts with each byte.
    """
    content = b""
    while True:
        chunk = response.read1(65_536)
        if not chunk:
            return content
        content += chunk
        if time.monotonic() > deadline or len(content) > _MAXIMUM_RESPONSE_BYTES:
            raise OSError("the response takes too long or is too long")


def _parse(content: bytes) -> Response:
    try:
        document: Any = json.loads(content)
        rejections = {
            int(item["line"]) - 1: (str(item["code"]), str(item["message"])) for item in document["rejected"]
        }
        stops = {str(item["runId"]): item.get("reason") for item in document["stop"]}
        return Response(rejections, stops)
    except (ValueError, KeyError, TypeError, AttributeError):
        message = "the response is not one of Evoscope, so the address may belong to another program"
        raise UnavailableError(message) from None


def _get_detail(content: bytes) -> str:
    try:
        document = json.loads(content)
        return str(document.get("detail") or document.get("title") or "")[:300]
    except (ValueError, AttributeError):
        return ""


def _parse_seconds(header: Optional[str]) -> Optional[float]:
    try:
        return min(max(float(header or ""), 0.0), 60.0)
    except ValueError:
        return None


def split_batches(lines: Sequence[bytes]) -> List[Sequence[bytes]]:
    """Splits lines into batches of at most BATCH_LINES lines and BATCH_BYTES; a longer line is a separate batch."""
    batches: List[Sequence[bytes]] = []
    start = size = 0
    for index, line in enumerate(lines):
        if index > start and (index - start >= BATCH_LINES or size + len(line) > BATCH_BYTES):
            batches.append(lines[start:index])
            start, size = index, 0
        size += len(line) + 1
    if start < len(lines):
        batches.append(lines[start:])
    return batches
