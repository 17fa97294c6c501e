import { readFileSync } from 'node:fs';
import { cruise, type ICruiseResult, type IReporterOutput } from 'dependency-cruiser';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Below this the cruise did not see the project: without a compiler it silently finds nothing. */
const fewestModules = 60;

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['shared', 'server', 'renderer', 'electron', 'build'];

/** What each place of the project may import from other places; regular expressions on paths from the root. */
const canImport: Record<string, string[]> = {
  '^shared/': [],
  '^server/http/': [
    '^shared/',
    '^server/(runtime|handlers|import|mcp|mlflow|db|errors|logger|write-response)',
  ],
  '^server/runtime/': [
    '^shared/',
    '^server/(handlers|analysis|services|records|formats|docs|sample|import|mcp|mlflow|db|errors|logger|write-response)',
    '^server/repositories/list\\.ts$',
  ],
  '^server/handlers': [
    '^shared/',
    '^server/(analysis|docs|export|formats|services|recording|records|repositories|db|errors|logger)',
  ],
  '^server/export/': [
    '^shared/',
    '^server/(analysis|formats|records|repositories|db|domain|errors)',
    '^server/import/(data-set|suites)\\.ts$',
  ],
  '^server/verify/': [
    '^shared/',
    '^server/(runtime|analysis|services|repositories|db|errors)',
    '^server/import/(notes|refusal|source/)',
  ],
  '^server/services/': [
    '^shared/',
    '^server/(records|repositories|db|domain|stats|telemetry|errors|logger)',
  ],
  '^server/analysis/': [
    '^shared/',
    '^server/(records|repositories|db|domain|stats|telemetry|formats|errors|logger|write-response)',
  ],
  '^server/records/': ['^shared/', '^server/(repositories|db|domain|errors)'],
  '^server/repositories/': ['^shared/', '^server/(db|domain|errors)'],
  '^server/import/': ['^shared/', '^server/(recording|records|repositories|db|domain|stats)/'],
  '^server/mlflow/': ['^shared/', '^server/(recording|services|repositories|db|domain|errors)'],
  '^server/mcp/': [
    '^shared/',
    '^server/(handlers|runtime/responses|http/bind-endpoint|errors|service)',
  ],
  '^server/recording/': ['^shared/', '^server/(repositories|db|domain|errors)'],
  '^server/sample/': ['^server/(import|recording|repositories|db)/'],
  '^server/db/': ['^shared/', '^server/(domain|errors|logger)'],
  '^server/domain/': ['^shared/', '^server/stats/'],
  '^server/telemetry/': ['^shared/', '^server/(domain|stats)/'],
  '^server/(stats|formats|docs)/': ['^shared/'],
  '^server/': ['^shared/', '^server/'],
  '^renderer/state/': ['^shared/'],
  '^renderer/api/': ['^shared/', '^renderer/state/'],
  '^renderer/ui/': ['^shared/', '^renderer/state/', '^renderer/(names|paths|desktop)\\.ts$'],
  '^renderer/charts/': ['^shared/', '^renderer/(state|ui)/'],
  '^renderer/features/': [
    '^shared/',
    '^renderer/(api|charts|state|ui)/',
    '^renderer/(names|pages|paths|desktop)\\.ts$',
  ],
  '^renderer/': ['^shared/', '^renderer/'],
  '^electron/': ['^shared/desktop\\.ts$'],
  '^build/': ['^shared/', '^server/'],
};

/** Libraries that only one place may import. */
const onlyIn: Record<string, string> = {
  kysely: '^server/(db|repositories)/',
  'better-sqlite3': '^server/db/dialects/',
  'pg(-cursor)?': '^server/db/dialects/',
  '@stdlib/[^/]+': '^server/stats/distributions\\.ts$',
  'plotly\\.js-dist-min': '^renderer/charts/plotly\\.ts$',
  electron: '^electron/',
  '@modelcontextprotocol/sdk': '^server/mcp/',
};

interface Edge {
  from: string;
  to: string;
  circular: boolean;
  /** Erased by the compiler: nothing of it is loaded. */
  typeOnly: boolean;
}

async function cruiseProject(): Promise<{ modules: string[]; edges: Edge[] }> {
  const output: IReporterOutput = await cruise(
    folders,
    {
      baseDir: root,
      doNotFollow: { path: 'node_modules' },
      tsPreCompilationDeps: true,
      enhancedResolveOptions: {
        exportsFields: ['exports'],
        conditionNames: ['import', 'node', 'types'],
      },
      ruleSet: {
        forbidden: [{ name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } }],
      },
      validate: true,
    },
    {},
  );
  const { modules } = output.output as ICruiseResult;
  const own = modules.filter(({ source }) =>
    folders.some((folder) => source.startsWith(`${folder}/`)),
  );
  return {
    modules: own.map(({ source }) => source),
    edges: own.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved, circular, dependencyTypes }) => ({
        from: source,
        to: resolved,
        circular,
        typeOnly: dependencyTypes.includes('type-only'),
      })),
    ),
  };
}

function getRules(path: string): { place: string; allowed: string[] } | undefined {
  const entry = Object.entries(canImport).find(([place]) => new RegExp(place).test(path));
  return entry && { place: entry[0], allowed: entry[1] };
}

function isAllowed({ from, to }: Edge): boolean {
  const rules = getRules(from);
  if (!rules || !folders.some((folder) => to.startsWith(`${folder}/`))) return true;
  const ownPlace = folders.includes(rules.place.slice(1, -1)) ? rules.place : `^${getPlace(from)}`;
  return [ownPlace, ...rules.allowed].some((pattern) => new RegExp(pattern).test(to));
}

/** The folder of second rank with a file, such as `server/stats/`. */
function getPlace(path: string): string {
  return `${path.split('/').slice(0, 2).join('/')}/`;
}

const { modules, edges } = await cruiseProject();
const describeEdge = ({ from, to }: Edge) => `${from} → ${to}`;

test('the cruise sees the whole project', () => {
  expect(modules.length).toBeGreaterThan(fewestModules);
  for (const folder of folders) {
    expect(modules.filter((path) => path.startsWith(`${folder}/`)).length, folder).toBeGreaterThan(
      1,
    );
  }
});

test('every file imports only what its place may import', () => {
  expect(edges.filter((edge) => !isAllowed(edge)).map(describeEdge)).toEqual([]);
});

test('a page imports nothing of another page', () => {
  const getPage = (path: string) => /^renderer\/pages\/([^/]+)\//.exec(path)?.[1];
  const strays = edges.filter(
    ({ from, to }) => getPage(from) && getPage(to) && getPage(from) !== getPage(to),
  );
  expect(strays.map(describeEdge)).toEqual([]);
});

/** Rules whose text occurs in their only home, and in the files where it means something else. */
const homes: { rule: string; text: RegExp; files: readonly string[] }[] = [
  {
    rule: 'how a decimal number is written',
    text: /\(\\d\+\\\.\?\\d\*\|/,
    files: ['shared/syntax.ts'],
  },
  {
    rule: 'how a stored time is read (the other is a header of HTTP)',
    text: /\bDate\.parse\(/,
    files: ['renderer/state/service-clock.ts', 'shared/syntax.ts'],
  },
  {
    rule: 'which fitness is better',
    text: /=== 'min' \? \w+ <=? \w+ :/,
    files: ['server/domain/trace.ts', 'shared/words.ts'],
  },
  {
    rule: 'where a direction was found',
    text: /'config', 'problem', 'trace', 'default'/,
    files: ['shared/words.ts'],
  },
  {
    rule: 'when a run is silent, and when it may be settled',
    text: /(?:minimumSilence|campaignTimeout|settling)Millis = [\d_]+/,
    files: ['server/domain/liveness.ts', 'shared/silence.ts'],
  },
  {
    rule: 'when a query is fetched again',
    text: /IntervalMillis: \w*IntervalMillis|keepPrevious: true|\blive: (?:true|'whileRunning')/,
    files: ['renderer/api/freshness.ts'],
  },
  {
    rule: 'which tables a deletion covers',
    text: /'(?:runObjectives|checkpoints|controlRequests)Deleted',\s+table:/,
    files: ['server/domain/deletion.ts'],
  },
  {
    rule: 'secrets are hidden where answers are written, and where a text is shortened, searched, compared or parsed before',
    text: /import \{[^}]*\bmask(?!edValue)\w+[^}]*\} from '[^']*secrets\//,
    files: [
      'server/analysis/groups.ts',
      'server/analysis/load.ts',
      'server/analysis/run-overlay.ts',
      'server/export/selection.ts',
      'server/mlflow/texts.ts',
      'server/records/annotations.ts',
      'server/services/events.ts',
      'server/services/runs.ts',
      'server/write-response.ts',
    ],
  },
];

test.each(homes)('a rule has one home: $rule', ({ text, files }) => {
  const own = modules.filter((path) => !path.startsWith('build/'));
  expect(own.filter((path) => text.test(readFileSync(root + path, 'utf8'))).sort()).toEqual(files);
});

test('libraries with one home are imported nowhere else', () => {
  const strays = Object.entries(onlyIn).flatMap(([library, place]) => {
    const inLibrary = new RegExp(`^(node_modules/)?${library}(/|$)`);
    return edges.filter(
      ({ from, to }) =>
        inLibrary.test(to) && !new RegExp(place).test(from) && !from.startsWith('build/'),
    );
  });
  expect(strays.map(describeEdge)).toEqual([]);
});

test('pages load no validation: of the modules with schemas they take only types', () => {
  const withSchemas = new Set(
    edges.filter(({ to, typeOnly }) => /\bzod\b/.test(to) && !typeOnly).map(({ from }) => from),
  );
  expect(withSchemas).toContain('shared/api.ts');
  const loaded = edges.filter(
    ({ from, to, typeOnly }) => from.startsWith('renderer/') && withSchemas.has(to) && !typeOnly,
  );
  expect(loaded.map(describeEdge)).toEqual([]);
});

test('the process of npm start never loads Vite, whose memory it would hold while the service runs', () => {
  const reached = new Set(['build/start.ts']);
  const loaded = edges.filter(({ typeOnly }) => !typeOnly);
  // Iteration over a set includes elements that are added meanwhile.
  for (const file of reached) {
    for (const { from, to } of loaded) if (from === file) reached.add(to);
  }
  expect(reached).toContain('build/bundle.ts');
  expect([...reached].filter((file) => /(^|\/)vite(\/|$)/.test(file))).toEqual([]);
});

test('nothing imports in a circle', () => {
  expect(edges.filter(({ circular }) => circular).map(describeEdge)).toEqual([]);
});

test('a link in a comment names something that exists', () => {
  const texts = new Map(modules.map((path) => [path, readFileSync(root + path, 'utf8')]));
  const names = new Set(
    [...texts.values()].flatMap((text) => text.replace(/\/\*.*?\*\//gs, '').match(/[\w$]+/g) ?? []),
  );
  const broken = [...texts].flatMap(([path, text]) =>
    Array.from(text.matchAll(/\{@link[\s*]+([^}\s]*)([^}\n]{0,40})/g))
      .filter(
        ([, link = '', rest]) => rest !== '' || !link.split('.').every((name) => names.has(name)),
      )
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});
