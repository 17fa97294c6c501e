import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { endpoints, type Endpoint } from '#shared/api.ts';
import type { DigestEndpointName } from './digests.ts';

/** The arguments of a call as texts, like the parameters of a query: each name with all its values. */
export type Arguments = ReadonlyMap<string, readonly string[]>;

/**
 * A request of a tool to an endpoint. With `hasOnlyNotes`, the result contains the notes and limits of the response,
 * but no facts or rows.
 */
export interface Step {
  endpoint: DigestEndpointName;
  hasOnlyNotes?: true;
}

/**
 * A tool that an assistant can call. Its arguments are the parameters of its endpoints, the further arguments, and
 * `cursor`.
 */
export interface Tool {
  title: string;
  description: string;
  /** The endpoints whose parameters are the arguments. */
  endpoints: readonly DigestEndpointName[];
  /** Further arguments, all required, as JSON schemas with an `enum` of texts. */
  furtherArguments?: Readonly<Record<string, object>>;
  /** Names of the required arguments; by default, the parameters in the paths of the endpoints. */
  requiredArguments?: readonly string[];
  /** Returns the requests of a call. */
  getSteps: (args: Arguments) => readonly Step[];
  /**
   * Returns the path and the query of the page to which the result links. `problemType` is the only problem type in the
   * responses; undefined if there are several or none.
   */
  getPage: (args: Arguments, problemType: string | undefined) => string;
  /** Whether the tool changes the database; by default it only reads. */
  isWrite?: true;
}

const requestEach = (...names: DigestEndpointName[]): Pick<Tool, 'endpoints' | 'getSteps'> => ({
  endpoints: names,
  getSteps: () => names.map((endpoint) => ({ endpoint })),
});

const latexSteps: Readonly<Record<string, readonly Step[]>> = {
  problem: [
    { endpoint: 'exportProblemComparison' },
    { endpoint: 'compareProblem', hasOnlyNotes: true },
  ],
  across: [{ endpoint: 'exportAcross' }, { endpoint: 'compareAcross', hasOnlyNotes: true }],
  experiment: [
    { endpoint: 'exportExperimentAnalysis' },
    { endpoint: 'analyseExperiment', hasOnlyNotes: true },
  ],
  campaign: [{ endpoint: 'exportErts' }, { endpoint: 'listErts', hasOnlyNotes: true }],
};

/**
 * The pages by the values of the argument `view` of `open_view`. These values include those of the argument `of` of
 * `export_latex`.
 */
const views: Readonly<Record<string, Tool['getPage']>> = {
  runs: (args) => getRunsPage(args),
  run: (args) => (args.has('runId') ? `/runs/${getSegment(args, 'runId')}` : getRunsPage(args)),
  experiment: (args) =>
    args.has('experimentId') ? `/experiments/${getSegment(args, 'experimentId')}` : '/experiments',
  problems: () => '/problems',
  problem: (args) => getProblemPage(args),
  across: (args, problemType) => getAcrossPage(args, problemType),
  campaigns: () => '/coco',
  campaign: (args) => getCampaignPage(args),
};

const tools = {
  find_runs: {
    title: 'Find runs',
    description:
      'Lists runs with their status and results, filtered and sorted. Use compare for questions about algorithms.',
    ...requestEach('listRuns'),
    getPage: getRunsPage,
  },
  describe_run: {
    title: 'Describe a run',
    description:
      'Describes one run: status, progress, results, diagnosis (stagnation, lost diversity, crash …), configuration, and the notes of users.',
    ...requestEach('getInsights', 'listRunParams', 'getRun'),
    getPage: (args) => `/runs/${getSegment(args, 'runId')}`,
  },
  list_problems: {
    title: 'List problems',
    description: 'Lists the problem types with their algorithms and numbers of runs.',
    ...requestEach('listProblems'),
    getPage: () => '/problems',
  },
  compare: {
    title: 'Compare algorithms on a problem',
    description:
      'Compares groups of runs on one problem instance: the verdict with every claim that the tests support, the groups, ' +
      'and the tests of all pairs. Repeat only sentences of the kind "claim" as findings.',
    ...requestEach('compareProblem'),
    getPage: (args) => getProblemPage(args),
  },
  across: {
    title: 'Compare algorithms across problem instances',
    description:
      'Compares groups of runs across problem instances: average ranks, tests of pairs over instances and on each instance.',
    ...requestEach('compareAcross'),
    getPage: getAcrossPage,
  },
  campaign_summary: {
    title: 'Summarise a COCO campaign',
    description:
      'Summarises a COCO/BBOB campaign: progress, tests between optimizers, areas under the ECDFs, expected runtimes. ' +
      'Without campaignId it lists the campaigns.',
    endpoints: ['listCampaigns', 'getCampaign', 'compareOptimizers', 'getEcdf', 'listErts'],
    requiredArguments: [],
    getSteps: (args) =>
      args.has('campaignId')
        ? [
            { endpoint: 'compareOptimizers' },
            { endpoint: 'getEcdf' },
            { endpoint: 'listErts' },
            { endpoint: 'getCampaign' },
          ]
        : [{ endpoint: 'listCampaigns' }],
    getPage: getCampaignPage,
  },
  runs_needed: {
    title: 'Compute the number of runs needed',
    description:
      'Computes how many runs each group needs for a test to detect an effect. Plans new runs; uses no stored data.',
    ...requestEach('countRunsNeeded'),
    getPage: () => '/help',
  },
  export_latex: {
    title: 'Export tables as LaTeX',
    description:
      'Returns the tables of a comparison as a LaTeX fragment, in parts: join the texts without their marks « ». ' +
      'It needs problemType for of=problem, experimentId for of=experiment and campaignId for of=campaign.',
    endpoints: [
      'exportProblemComparison',
      'exportAcross',
      'exportExperimentAnalysis',
      'exportErts',
    ],
    furtherArguments: {
      of: { type: 'string', enum: Object.keys(latexSteps), description: 'Subject of the tables' },
    },
    requiredArguments: ['of'],
    getSteps: (args) => latexSteps[getFirst(args, 'of') ?? ''] ?? [],
    getPage: (args, problemType) =>
      views[getFirst(args, 'of') ?? 'problems']?.(args, problemType) ?? '/problems',
  },
  open_view: {
    title: 'Get the link to a page',
    description:
      'Returns the link to the page with a view, to show the user the same data. Takes the arguments of the other tools.',
    endpoints: [
      'listRuns',
      'getRun',
      'analyseExperiment',
      'compareProblem',
      'compareAcross',
      'getEcdf',
    ],
    furtherArguments: {
      view: { type: 'string', enum: Object.keys(views), description: 'The page' },
    },
    requiredArguments: ['view'],
    getSteps: () => [],
    getPage: (args, problemType) =>
      views[getFirst(args, 'view') ?? 'problems']?.(args, problemType) ?? '/problems',
  },
  stop_run: {
    title: 'Stop a run',
    description:
      'Requests a RUNNING run to stop before its next iteration. It then has no further results. Use it only if the user requests it.',
    ...requestEach('stopRun'),
    getPage: (args) => `/runs/${getSegment(args, 'runId')}`,
    isWrite: true,
  },
} satisfies Record<string, Tool>;

/** Returns the tools by name, in the order of {@link tools}. Omits tools that write unless `canWrite` is true. */
export function getTools(canWrite: boolean): ReadonlyMap<string, Tool> {
  const allTools = Object.entries<Tool>(tools);
  return new Map(allTools.filter(([, { isWrite = false }]) => canWrite || !isWrite));
}

/** Parameters of endpoints that tools replace by `cursor` or do not offer. */
const hiddenParameters = new Set(['page', 'size', 'params', 'after', 'points', 'sameProblem']);

/**
 * Returns the schemas of the parameters of an endpoint by name: parameters in the path and the query, and members of
 * the body. Omits the {@link hiddenParameters}.
 */
export function getParameters(name: DigestEndpointName): Readonly<Record<string, z.ZodType>> {
  const { params, query, body }: Endpoint = endpoints[name];
  const members = body instanceof z.ZodOptional ? body.unwrap() : body;
  const shape: Record<string, z.ZodType> = {
    ...params?.shape,
    ...query?.shape,
    ...(members instanceof z.ZodObject ? members.shape : {}),
  };
  return Object.fromEntries(Object.entries(shape).filter(([key]) => !hiddenParameters.has(key)));
}

/** Returns the description of a tool for clients. Parameters of endpoints have the schemas of the contract. */
function describeTool(name: string, tool: Tool) {
  // If several endpoints have a parameter, the schema of the first one applies.
  const parameters = Object.assign({}, ...tool.endpoints.toReversed().map(getParameters)) as Record<
    string,
    z.ZodType
  >;
  const { properties } = z.toJSONSchema(z.object(parameters), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => replaceSchema(jsonSchema),
  });
  const pathNames = tool.endpoints.flatMap((endpoint) =>
    Object.keys((endpoints[endpoint] as Endpoint).params?.shape ?? {}),
  );
  const cursor = {
    type: 'string',
    description: '"next" of the previous part, with the same other arguments',
  };
  return {
    name,
    title: tool.title,
    description: tool.description,
    inputSchema: {
      type: 'object' as const,
      properties: { ...tool.furtherArguments, ...(properties as Record<string, object>), cursor },
      required: [...(tool.requiredArguments ?? new Set(pathNames))],
      additionalProperties: false,
    },
    annotations: tool.isWrite
      ? { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }
      : { readOnlyHint: true, openWorldHint: false },
  };
}

type ToolDescription = ReturnType<typeof describeTool>;

/** Cache of the descriptions of tools by name. The descriptions are the same for all clients. */
const descriptionCache = new Map<string, ToolDescription>();

/**
 * Returns the descriptions of tools, in the order of the tools. Lets other requests run before it creates a description
 * that is not cached.
 */
export async function describeTools(
  toolsByName: ReadonlyMap<string, Tool>,
): Promise<ToolDescription[]> {
  const list: ToolDescription[] = [];
  for (const [name, tool] of toolsByName) {
    if (!descriptionCache.has(name)) await setImmediate();
    const description = descriptionCache.get(name) ?? describeTool(name, tool);
    descriptionCache.set(name, description);
    list.push(description);
  }
  return list;
}

/**
 * Replaces the members of a schema with the `override` in its metadata, if there is one. Retains the description of the
 * schema, but removes the remark `, URL-encoded`.
 */
function replaceSchema(schema: { description?: string; override?: object }): void {
  const { override } = schema;
  const description = schema.description?.replace(', URL-encoded', '');
  if (override !== undefined) {
    for (const key of Object.keys(schema)) delete (schema as Record<string, unknown>)[key];
    Object.assign(schema, override);
  }
  if (description !== undefined) schema.description = description;
}

/** Returns the first value of an argument; undefined if it is absent. */
export function getFirst(args: Arguments, name: string): string | undefined {
  return args.get(name)?.[0];
}

function getSegment(args: Arguments, name: string): string {
  return encodeURIComponent(getFirst(args, name) ?? '');
}

/** Returns a path with some of the arguments added to its query. `names` maps names in the query to argument names. */
function addQuery(path: string, args: Arguments, names: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(
    Object.entries(names).flatMap(([queryName, name]) =>
      (args.get(name) ?? []).map((value): [string, string] => [queryName, value]),
    ),
  ).toString();
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

const mapToEqualNames = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, name]));

function getRunsPage(args: Arguments): string {
  const names = ['q', 'tag', 'algorithm', 'model', 'problem', 'status', 'from', 'to'];
  const path = args.has('trials') ? '/' : '/?trials=include';
  return addQuery(
    path,
    args,
    mapToEqualNames(...names, 'minBest', 'maxBest', 'diagnosis', 'trials', 'param'),
  );
}

const guardNames = ['failed', 'stopped', 'silent'];

function getProblemPage(args: Arguments): string {
  const names = ['instance', 'algorithm', 'direction', 'target', 'targets', 'effect'];
  const path = args.has('problemType')
    ? `/problems/${getSegment(args, 'problemType')}`
    : '/problems';
  return addQuery(path, args, { ...mapToEqualNames(...names, ...guardNames), by: 'groupBy' });
}

function getAcrossPage(args: Arguments, onlyProblemType: string | undefined): string {
  const problemType = getFirst(args, 'problemType') ?? onlyProblemType;
  if (problemType === undefined) return '/problems';
  return addQuery(`/problems/${encodeURIComponent(problemType)}?tab=across`, args, {
    ...mapToEqualNames('algorithm', 'control', 'missing', 'blocks', ...guardNames),
    by: 'groupBy',
    cell: 'measure',
  });
}

function getCampaignPage(args: Arguments): string {
  if (!args.has('campaignId'))
    return addQuery('/coco', args, mapToEqualNames('q', 'status', 'suite'));
  const names = ['campaign', 'optimizer', 'functionId', 'dimension', 'cells', 'budget', 'restarts'];
  return addQuery(
    `/coco/${getSegment(args, 'campaignId')}`,
    args,
    mapToEqualNames(...names, 'failed'),
  );
}
