"""``python -m evoscope_service`` is the command ``evoscope``."""

import sys

from . import main

sys.exit(main())
