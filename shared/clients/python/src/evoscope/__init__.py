"""Records optimisation runs in Evoscope while they run, and reports stop requests of users to them."""

from ._client import flush
from ._run import Run, StopRequested, start
from ._spool import deliver

__all__ = ["Run", "StopRequested", "deliver", "flush", "start"]
__version__ = "0.1.0"
