"""Records DEAP: ``eaSimple(..., stats=evoscope.deap.recorder(run, toolbox))``."""

from typing import Any, Iterable, List, Optional

from ._run import Run


def recorder(run: Run, toolbox: Any, stats: Optional[Any] = None) -> Any:
    """Returns statistics that record each generation, and compute the values of ``stats``.

    Replaces ``toolbox.map`` by a function that counts the evaluations, and finds the best individual even if the
    selection omits it. With several objectives, records the first one. If a user requests a stop, the statistics throw
    StopRequested, which ends the algorithm. The population that the program passed then contains the last generation.
    The ``with`` block catches the error, and ends the run.
    """
    from deap import tools

    evaluations = 0
    original_map = toolbox.map
    best: Optional[Any] = None
    individuals: List[Any] = []

    def count(function: Any, items: Iterable[Any], *further_items: Any) -> Any:
        nonlocal evaluations
        item_list: List[Any] = list(items)
        evaluations += len(item_list)
        individuals.extend(item for item in item_list if hasattr(item, "fitness"))
        return original_map(function, item_list, *further_items)

    toolbox.register("map", count)

    class Recorder(tools.Statistics):  # type: ignore[misc]
        def compile(self, data: Any) -> Any:
            nonlocal best
            values = stats.compile(data) if stats is not None else {}
            fitnesses = [individual.fitness for individual in [*data, *individuals] if individual.fitness.valid]
            individuals.clear()
            if fitnesses:
                best_fitness = max(fitnesses)
                if best is None or best_fitness > best[0]:
                    best = (type(best_fitness)(best_fitness.values), best_fitness.values[0])
            numbers = {name: value for name, value in values.items() if not isinstance(value, dict)}
            run.log(
                evaluations=evaluations,
                best=best[1] if best else None,
                diagnostics={"statistics": numbers} if numbers else None,
            )
            run.raise_if_stopped()
            return values

    result = Recorder()
    result.fields = list(stats.fields) if stats is not None else []
    return result
