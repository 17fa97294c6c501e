# Ask each run on rastrigin that is still RUNNING to stop before its next iteration.
import json, os, urllib.parse, urllib.request

url = os.environ["EVOSCOPE_URL"]
with urllib.request.urlopen(f"{url}/api/runs?problem=rastrigin&status=RUNNING&size=200") as answer:
    running = json.load(answer)["items"]
for run in running:
    request = urllib.request.Request(
        f"{url}/api/runs/{urllib.parse.quote(run['runId'], safe='')}/stop",
        data=json.dumps({"reason": "enough seen"}).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request) as answer:
        print(json.load(answer)["message"])
