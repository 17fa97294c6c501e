"""Tests against a real service. EVOSCOPE_TEST_SERVICE is its command without the options for port and database."""

import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

import evoscope
from evoscope import _client
from test_client import SOURCE, close_client

COMMAND = os.environ.get("EVOSCOPE_TEST_SERVICE")


@unittest.skipUnless(COMMAND, "EVOSCOPE_TEST_SERVICE is not set")
class ServiceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = Path(folder.name) / "runs.db"
        environment = mock.patch.dict(os.environ, {"EVOSCOPE_SPOOL": str(Path(folder.name) / "spool")})
        environment.start()
        self.addCleanup(environment.stop)
        self.process = None
        self.start_service(0)
        self.addCleanup(self.kill_service)

    def start_service(self, port):
        command = [*shlex.split(COMMAND or ""), "--record", "--db", str(self.database), "--port", str(port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout
        match = re.search(r"ready at (http://\S+:(\d+))/", self.process.stdout.readline())
        assert match
        self.url, self.port = match[1], int(match[2])

    def kill_service(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def read_rows(self, query):
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def wait(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), deadline, "the service did not meet the condition of the test in time")
            time.sleep(0.05)

    def test_records_a_run(self):
        run = evoscope.start({"algorithm": "CMA-ES", "problem": "sphere"}, seed=7, run_id="r", url=self.url)
        self.addCleanup(close_client, run._client)
        run.log(evaluations=12, best=3.5)
        run.end()
        self.assertTrue(evoscope.flush(30))
        self.assertEqual(self.read_rows("SELECT status, seed, evaluations, best_fitness FROM runs"), [("COMPLETED", 7, 12, 3.5)])

    def test_loses_nothing_when_the_service_is_killed_and_stops_a_run_on_request(self):
        config = {"algorithm": "CMA-ES", "problem": "sphere", "dimension": 10, "rate": float("nan")}
        with mock.patch.object(_client, "POLL_SECONDS", 0.2):
            with evoscope.start(config, run_id="r", url=self.url) as run:
                self.addCleanup(close_client, run._client)
                for index in range(500):
                    run.log(evaluations=index + 1, best=500 - index, sigma=float("inf"))
                run.event("restart", {"reason": "stagnation"})
                self.wait(lambda: self.read_rows("SELECT 1 FROM runs"))
                self.kill_service()
                for index in range(500, 1_000):
                    run.log(evaluations=index + 1, best=-index)
                self.start_service(self.port)
                self.assertTrue(evoscope.flush(30))
                # A page sends this request when a user stops the run.
                body = json.dumps({"reason": "enough"}).encode()
                request = urllib.request.Request(
                    f"{self.url}/api/runs/r/stop", body, {"Content-Type": "application/json"}
                )
                urllib.request.urlopen(request).close()
                self.wait(lambda: run.stop_requested)
                self.assertEqual(run.stop_reason, "enough")
        self.assertTrue(evoscope.flush(30))
        self.assertEqual(
            self.read_rows("SELECT count(*), count(DISTINCT iteration), max(evaluations) FROM iterations"),
            [(1_000, 1_000, 1_000)],
        )
        self.assertEqual(self.read_rows("SELECT count(*) FROM events WHERE event_type = 'restart'"), [(1,)])
        self.assertEqual(self.read_rows("SELECT status, best_fitness FROM runs"), [("STOPPED", -999.0)])

    def test_the_example_of_the_readme_records_a_run(self):
        readme = (Path(__file__).parent.parent / "README.md").read_text()
        [example] = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)[:1]
        environment = {**os.environ, "PYTHONPATH": SOURCE, "EVOSCOPE_URL": self.url}
        result = subprocess.run(
            [sys.executable, "-c", example], env=environment, capture_output=True, text=True, timeout=60
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.read_rows("SELECT status, evaluations FROM runs"), [("COMPLETED", 1_000)])


if __name__ == "__main__":
    unittest.main()
