# A service that was started with SVC_TOKEN wants the token with every call.
import json, os, urllib.request

request = urllib.request.Request(
    os.environ["EVOSCOPE_URL"] + "/api/dashboard/summary",
    headers={"Authorization": "Bearer " + os.environ["EVOSCOPE_TOKEN"]},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["runCount"], "runs")
