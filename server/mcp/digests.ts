import type { HandledName } from '#server/handlers.ts';
import type { EndpointName } from '#shared/addresses.ts';
import type { ResponseBody } from '#shared/api.ts';
import type { Diagnosis } from '#shared/schemas/insights.ts';
import { getEndTime, getShownResults } from '#shared/words.ts';
import * as campaign from './campaign-digests.ts';
import * as comparison from './comparison-digests.ts';
import { makeSection, writeDigestPart, type Digest } from './digest.ts';
import {
  createSentenceMarker,
  markOptional,
  markParts,
  markText,
  textBytes,
} from './marked-text.ts';

/** Functions by endpoint. Each returns the digest of a response. */
type Digests = { [Name in EndpointName]?: (response: ResponseBody<Name>) => Digest };

/** Name of an endpoint whose responses appear in results of tools. */
export type DigestEndpointName = keyof typeof digests;

/**
 * Returns a part of the digest of a response as JSON: the rows from `start` on, as many as a result can contain; see
 * {@link writeDigestPart}. Throws an Error for an endpoint that no tool uses.
 */
export function digestResponse(name: HandledName, response: unknown, start: number): string {
  const digest = (digests as Partial<Record<HandledName, (response: never) => Digest>>)[name];
  if (digest === undefined) throw new Error(`No tool uses the endpoint ${name}`);
  return writeDigestPart(digest(response as never), start);
}

const listLimit =
  'These are values of single runs. They support no claim about algorithms: use compare or across.';

function digestRuns({ items, page, size, total }: ResponseBody<'listRuns'>): Digest {
  const runs = makeSection('runs', items, (run) => ({
    runId: markText(run.runId, textBytes.id),
    experimentId: markText(run.experimentId, textBytes.id),
    name: markOptional(run.displayName ?? run.runName),
    algorithm: markText(run.algorithmType),
    model: markText(run.modelType),
    problem: markText(run.problemType),
    status: markText(run.status, textBytes.short),
    seed: markInteger(run.seed),
    bestFitness: getShownResults(run).best,
    evaluations: markInteger(getShownResults(run).evaluations),
    startTime: markText(run.startTime, textBytes.short),
    endTime: markOptional(getEndTime(run), textBytes.short),
    tags: run.tags.slice(0, 5).map((tag) => markText(tag, 60)),
    error: markOptional(run.errorMessage, 200),
    isSilent: run.progress?.silent,
  }));
  return {
    facts: { total },
    notes: [],
    limits: [listLimit],
    sections: [runs],
    page: { rowsBefore: page * size, total },
  };
}

/** Returns a stored integer, between marks if it is a text; null for null. */
function markInteger(value: number | string | null): number | string | null {
  return typeof value === 'string' ? markText(value, textBytes.short) : value;
}

function digestRun(run: ResponseBody<'getRun'>): Digest {
  const { progress, stopRequest, trial } = run;
  const results = getShownResults(run);
  return {
    facts: {
      run: {
        runId: markText(run.runId, textBytes.id),
        experimentId: markText(run.experimentId, textBytes.id),
        name: markOptional(run.runName),
        displayName: markOptional(run.displayName),
        algorithm: markText(run.algorithmType),
        model: markText(run.modelType),
        problem: markText(run.problemType),
        representation: markText(run.representationType, textBytes.short),
        status: markText(run.status, textBytes.short),
        seed: markInteger(run.seed),
        direction: run.direction,
        targetFitness: run.targetFitness,
        bestFitness: results.best,
        iterations: markInteger(results.iterations),
        evaluations: markInteger(results.evaluations),
        startTime: markText(run.startTime, textBytes.short),
        endTime: markOptional(getEndTime(run), textBytes.short),
        error: markOptional(run.errorMessage, textBytes.message),
        isBaseline: run.isBaseline,
      },
      progress: progress && {
        iteration: markInteger(progress.iteration),
        evaluations: markInteger(progress.evaluations),
        bestSoFar: progress.bestSoFar,
        secondsLeft: progress.secondsLeft,
        isSilent: progress.silent,
        lastActivityAt: markText(progress.lastActivityAt, textBytes.short),
      },
      stopRequest: stopRequest && {
        status: markText(stopRequest.status, textBytes.short),
        requestedAt: markText(stopRequest.requestedAt, textBytes.short),
        reason: markOptional(stopRequest.reason, textBytes.message),
      },
      trial: trial && {
        campaignId: markText(trial.campaignId, textBytes.id),
        optimizer: markText(trial.optimizerId),
        functionId: markInteger(trial.functionId),
        dimension: markInteger(trial.dimension),
        instanceId: markInteger(trial.instanceId),
      },
    },
    notes: [],
    limits: [
      'One run supports no claim about its algorithm: use compare for several runs.',
      'Diagnoses are rules with thresholds, not tests: they suggest what to inspect.',
    ],
    sections: [
      makeSection('userTags', run.tags, (tag) => markText(tag)),
      makeSection('userNote', run.note === '' ? [] : markParts(run.note, 1_200), (part) => part),
      makeSection('objectives', run.objectives, ({ name, value }) => ({
        name: markText(name),
        value,
      })),
    ],
  };
}

function digestDiagnosis({ diagnosis }: ResponseBody<'getInsights'>): Digest {
  const toRow = ({ code, severity, message, evidence, fromIteration, toIteration }: Diagnosis) => ({
    code,
    severity,
    message: createSentenceMarker(evidence.series)(message),
    fromIteration,
    toIteration,
    value: evidence.value,
    threshold: evidence.threshold,
  });
  return {
    facts: {},
    notes: [],
    limits: [],
    sections: [makeSection('diagnosis', diagnosis, toRow)],
  };
}

function digestParams(params: ResponseBody<'listRunParams'>): Digest {
  // Objects and members of lists repeat other parameters.
  const values = params.filter(
    ({ paramPath, valueJson }) => valueJson?.startsWith('{') !== true && !paramPath.endsWith(']'),
  );
  const section = makeSection('configuration', values, ({ paramPath, ...param }) => ({
    path: markText(paramPath),
    value: param.valueNumber ?? markOptional(param.valueText ?? param.valueJson),
  }));
  return { facts: {}, notes: [], limits: [], sections: [section] };
}

/** Maximum number of names of algorithms per problem in a list of problems. */
const maximumNames = 20;

function digestProblems(problems: ResponseBody<'listProblems'>): Digest {
  const section = makeSection('problems', problems, ({ problemType, algorithms, ...counts }) => ({
    problemType: markText(problemType, textBytes.id),
    algorithms: algorithms.slice(0, maximumNames).map((name) => markText(name, 60)),
    moreAlgorithms: Math.max(0, algorithms.length - maximumNames),
    ...counts,
  }));
  return {
    facts: {},
    notes: [],
    limits: ['These are counts. They support no claim about algorithms: use compare or across.'],
    sections: [section],
  };
}

function digestRunsNeeded(design: ResponseBody<'countRunsNeeded'>): Digest {
  return {
    facts: { design },
    notes: [],
    limits: [
      'This is a plan for new runs under the stated effect. It uses no stored data, so it does not describe them.',
      'An estimate of the effect from the same data is not a valid effect for this plan.',
    ],
    sections: [],
  };
}

/** Maximum size of a part of a LaTeX fragment, in bytes of a result. */
const latexBytes = 1_500;

function digestLatex(text: string): Digest {
  return {
    facts: {},
    notes: [],
    limits: [
      'The captions state the conditions. Bold means what they state and nothing more; do not restate other values as differences.',
    ],
    sections: [makeSection('latex', markParts(text, latexBytes), (part) => part)],
  };
}

function digestStop({ scope, accepted, affectedRuns }: ResponseBody<'stopRun'>): Digest {
  return {
    facts: { scope, accepted, affectedRuns },
    notes: ['The run ends before its next iteration, if its program reads stop requests.'],
    limits: ['A stop request is not evidence that the run has ended: see its status.'],
    sections: [],
  };
}

const digests = {
  listRuns: digestRuns,
  getRun: digestRun,
  getInsights: digestDiagnosis,
  listRunParams: digestParams,
  listProblems: digestProblems,
  compareProblem: comparison.digestComparison,
  compareAcross: comparison.digestAcross,
  analyseExperiment: comparison.digestExperiment,
  listCampaigns: campaign.digestCampaigns,
  getCampaign: campaign.digestCampaign,
  compareOptimizers: campaign.digestOptimizerTests,
  getEcdf: campaign.digestEcdf,
  listErts: campaign.digestErts,
  countRunsNeeded: digestRunsNeeded,
  exportProblemComparison: digestLatex,
  exportAcross: digestLatex,
  exportExperimentAnalysis: digestLatex,
  exportErts: digestLatex,
  stopRun: digestStop,
} satisfies Digests;
