# All completed runs on onemax, with a parameter as a column: the whole list, whatever its length.
import csv, io, os, statistics, urllib.parse, urllib.request

query = urllib.parse.urlencode({
    "format": "csv",
    "problem": "onemax",
    "status": "COMPLETED",
    "params": "algorithm.populationSize",
})
with urllib.request.urlopen(f"{os.environ['EVOSCOPE_URL']}/api/runs?{query}") as answer:
    runs = list(csv.DictReader(io.TextIOWrapper(answer, "utf-8", newline="")))

best = [float(run["bestFitness"]) for run in runs if run["bestFitness"]]
print(len(runs), "runs, median best fitness", statistics.median(best))
