"""Records optimisation runs in Evoscope while they go on, and tells them when a user requests a stop."""

from ._client import flush
from ._run import Run, StopRequested, start
from ._spool import deliver

__all__ = ["Run", "StopRequested", "deliver", "flush", "start"]
__version__ = "0.1.0"
