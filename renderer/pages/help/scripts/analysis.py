# Figures of the newest experiment on onemax, and the pairs of algorithms on its instance, out of one answer.
import json, os, urllib.request

url = os.environ["EVOSCOPE_URL"]


def get(path):
    with urllib.request.urlopen(url + path) as answer:
        return json.load(answer)


experiment = get("/api/experiments?problem=onemax&size=1")["items"][0]["experimentId"]
analysis = get(f"/api/experiments/{experiment}/analysis?target=40")
print("success rate", analysis["successRate"], "ERT", analysis["ert"])  # None: no run succeeded
for pair in analysis["sameProblem"]["pairwise"]["runtime"]:
    print(pair["a"], pair["b"], pair["adjustedPValue"], pair["effectSize"])
