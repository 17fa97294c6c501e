# pip install mlflow-skinny; with a token, set MLFLOW_TRACKING_TOKEN
import os, random
import mlflow

mlflow.set_tracking_uri(f"{os.environ['EVOSCOPE_URL']}/mlflow")
mlflow.set_experiment("sphere")
with mlflow.start_run(tags={"algorithm": "random search", "seed": "1"}):
    mlflow.log_params({"dimension": 2, "sigma": 1})
    best = float("inf")
    for step in range(20):
        best = min([best, *(random.gauss(0, 1) ** 2 + random.gauss(0, 1) ** 2 for _ in range(10))])
        mlflow.log_metrics({"best": best, "evaluations": 10 * (step + 1)}, step=step)
print("best fitness", best)
