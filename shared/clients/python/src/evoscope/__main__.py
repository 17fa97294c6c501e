"""``python -m evoscope deliver`` sends the records that wait in the spool."""

import argparse
import logging
import sys

from ._http import get_configured_url
from ._spool import deliver


def main() -> int:
    """Runs the command and returns its exit code: 1 if records for the service still wait, else 0.

    Ends the process with a message and exit code 2 for invalid arguments and an invalid address.
    """
    parser = argparse.ArgumentParser(prog="python -m evoscope")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("deliver", help="send the records that wait in the spool")
    command.add_argument("--url", help="address of the service (default: EVOSCOPE_URL)")
    options = parser.parse_args()
    logging.basicConfig(format="%(message)s")
    try:
        url = get_configured_url(options.url)
    except ValueError as error:
        parser.error(str(error))
    result = deliver(url)
    records = "1 record" if result.delivered == 1 else f"{result.delivered} records"
    files = "1 file waits" if result.waiting == 1 else f"{result.waiting} files wait"
    print(f"Delivered {records}. {files} for {result.url}.")
    for other_url in result.other_urls:
        print(f"Records for {other_url} also wait: run this command with --url {other_url}.")
    return 1 if result.waiting else 0


if __name__ == "__main__":
    sys.exit(main())
