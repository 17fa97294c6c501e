"""Tests with the real frameworks: evaluations, best and end of a run, and a stop request that ends an optimisation."""

import importlib.util
import os
import tempfile
import unittest
from unittest import mock

import evoscope
from test_client import Service, close_client

missing_packages = [
    name
    for name in ("pymoo", "deap", "nevergrad", "cma", "ioh", "optuna")
    if importlib.util.find_spec(name) is None
]


def optimise_with_pymoo(run):
    import evoscope.pymoo
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    minimize(get_problem("sphere", n_var=5), GA(pop_size=20), ("n_gen", 30), callback=evoscope.pymoo.callback(run))


def make_toolbox():
    from deap import base, creator, tools
    import random

    if not hasattr(creator, "Individual"):
        creator.create("Fitness", base.Fitness, weights=(-1.0,))
        creator.create("Individual", list, fitness=creator.Fitness)
    toolbox = base.Toolbox()
    toolbox.register("individual", tools.initRepeat, creator.Individual, random.random, 5)
    toolbox.register("population", tools.initRepeat, list, toolbox.individual)
    toolbox.register("evaluate", lambda individual: (sum(x * x for x in individual),))
    toolbox.register("mate", tools.cxTwoPoint)
    toolbox.register("mutate", tools.mutGaussian, mu=0, sigma=0.1, indpb=0.2)
    toolbox.register("select", tools.selTournament, tournsize=3)
    return toolbox


def optimise_with_deap(run):
    import evoscope.deap
    from deap import algorithms

    toolbox = make_toolbox()
    stats = evoscope.deap.recorder(run, toolbox)
    algorithms.eaSimple(toolbox.population(20), toolbox, 0.5, 0.2, 30, stats=stats, verbose=False)


def optimise_with_nevergrad(run):
    import evoscope.nevergrad
    import nevergrad as ng

    optimizer = ng.optimizers.OnePlusOne(parametrization=5, budget=300)
    evoscope.nevergrad.register(run, optimizer)
    optimizer.minimize(lambda x: float((x**2).sum()))


def optimise_with_cma(run):
    import cma
    import evoscope.cma

    cma.fmin2(cma.ff.sphere, 5 * [1], 0.5, {"verbose": -9, "maxiter": 40}, callback=evoscope.cma.callback(run))


def optimise_with_ioh(run):
    import evoscope.ioh
    import ioh

    problem = ioh.get_problem("Sphere", 1, 5)
    problem.attach_logger(evoscope.ioh.logger(run))
    for index in range(300):
        problem([3.0 - index / 100] * 5)
    problem.reset()


def optimise_with_optuna(run):
    import evoscope.optuna
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(1))
    callback = evoscope.optuna.callback(run, 30)
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, 30, callbacks=[callback])


optimisations = (
    optimise_with_pymoo,
    optimise_with_deap,
    optimise_with_nevergrad,
    optimise_with_cma,
    optimise_with_ioh,
    optimise_with_optuna,
)


@unittest.skipIf(missing_packages, f"not installed: {', '.join(missing_packages)}")
class FrameworksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = mock.patch.dict(os.environ, {"EVOSCOPE_SPOOL": folder.name})
        environment.start()
        self.addCleanup(environment.stop)
        self.service = Service()
        self.addCleanup(self.service.close)

    def record_run(self, optimise, is_stop_requested=False):
        run = evoscope.start({"algorithm": optimise.__name__}, url=self.service.url)
        self.addCleanup(close_client, run._client)
        if is_stop_requested:
            run._client._stops[run.run_id] = "enough"
        end_flags = []
        with run:
            optimise(run)
            end_flags.append(run._is_ended)
        self.assertTrue(evoscope.flush(20))
        iterations = self.service.list_records("iteration", run.run_id)
        [end] = self.service.list_records("end", run.run_id)
        return iterations, end, end_flags

    def test_records_a_whole_run(self):
        for optimise in optimisations:
            with self.subTest(optimise.__name__):
                iterations, end, end_flags = self.record_run(optimise)
                bests = [record["best"] for record in iterations]
                self.assertGreater(len(iterations), 2)
                self.assertEqual(bests, sorted(bests, reverse=True))
                evaluations = [record["evaluations"] for record in iterations]
                self.assertEqual(evaluations, sorted(evaluations))
                self.assertGreaterEqual(evaluations[-1], 30)
                self.assertEqual(end["status"], "COMPLETED")
                # DEAP and ioh call nothing after the last evaluation, so the ``with`` block ends the run.
                self.assertEqual(end_flags, [optimise not in (optimise_with_deap, optimise_with_ioh)])

    def test_records_the_best_individual_of_deap_also_if_the_selection_omits_it(self):
        values = []

        def evolve(run):
            import evoscope.deap
            from deap import algorithms, tools
            import random

            def evaluate(individual):
                values.append(sum(x * x for x in individual))
                return values[-1:]

            random.seed(1)
            toolbox = make_toolbox()
            toolbox.register("evaluate", evaluate)
            toolbox.register("select", tools.selWorst)
            stats = evoscope.deap.recorder(run, toolbox)
            population = toolbox.population(20)
            algorithms.eaMuCommaLambda(population, toolbox, 20, 40, 0.5, 0.2, 3, stats=stats, verbose=False)

        iterations, _, _ = self.record_run(evolve)
        self.assertEqual(iterations[-1]["evaluations"], len(values))
        self.assertEqual(iterations[-1]["best"], min(values))

    def test_records_all_evaluations_of_ioh_also_after_a_reset(self):
        def search(run):
            import evoscope.ioh
            import ioh

            problem = ioh.get_problem("Sphere", 1, 5)
            problem.attach_logger(evoscope.ioh.logger(run))
            for count in (150, 30):
                for index in range(count):
                    problem([3.0 + index / 100] * 5)
                problem.reset()

        iterations, _, _ = self.record_run(search)
        evaluations = [record["evaluations"] for record in iterations]
        self.assertEqual(evaluations, [1, 100, 180])

    def test_stops_on_request(self):
        for optimise in optimisations:
            with self.subTest(optimise.__name__):
                iterations, end, _ = self.record_run(optimise, is_stop_requested=True)
                self.assertEqual(end["status"], "STOPPED")
                self.assertLessEqual(len(iterations), 2)


if __name__ == "__main__":
    unittest.main()
