# One event whenever the database changed: what to wait for before asking again. This ends with the first one.
import json, os, urllib.request

with urllib.request.urlopen(os.environ["EVOSCOPE_URL"] + "/api/changes") as events:
    for line in events:
        if line.startswith(b"data:"):
            print(json.loads(line[5:])["running"], "runs are RUNNING")
            break
