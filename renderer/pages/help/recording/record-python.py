# In the folder of Evoscope: pip install ./shared/clients/python. The Python package evoscope contains it.
import random
import evoscope

config = {"algorithm": "random search", "problem": "sphere", "dimension": 2, "budget": 200}
with evoscope.start(config, seed=1) as run:
    best = float("inf")
    for evaluations in range(1, 201):
        best = min(best, sum(random.gauss(0, 1) ** 2 for _ in range(2)))
        run.log(evaluations=evaluations, best=best)
        if run.stop_requested:
            break
print("best fitness", best)
