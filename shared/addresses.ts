/** How an operation is called; `path` with `{name}` for its path parameters. */
export interface Address {
  method: 'get' | 'post' | 'delete';
  path: `/api/${string}`;
}

/**
 * Method and path of every operation by its name. It stands apart from the schemas in `api.ts`, so that pages, which
 * only call, load no validation.
 */
export const addresses = {
  listRuns: { method: 'get', path: '/api/runs' },
  getRun: { method: 'get', path: '/api/runs/{runId}' },
  listIterations: { method: 'get', path: '/api/runs/{runId}/iterations' },
  getIteration: { method: 'get', path: '/api/runs/{runId}/iterations/{iteration}' },
  getInsights: { method: 'get', path: '/api/runs/{runId}/insights' },
  listEvents: { method: 'get', path: '/api/runs/{runId}/events' },
  getEvent: { method: 'get', path: '/api/runs/{runId}/events/{id}' },
  listEventTypes: { method: 'get', path: '/api/runs/{runId}/event-types' },
  listCheckpoints: { method: 'get', path: '/api/runs/{runId}/checkpoints' },
  listRunParams: { method: 'get', path: '/api/runs/{runId}/params' },
  stopRun: { method: 'post', path: '/api/runs/{runId}/stop' },
  settleRun: { method: 'post', path: '/api/runs/{runId}/settle' },
  getTree: { method: 'get', path: '/api/runs/{runId}/tree' },
  listExperiments: { method: 'get', path: '/api/experiments' },
  getExperiment: { method: 'get', path: '/api/experiments/{experimentId}' },
  listExperimentRuns: { method: 'get', path: '/api/experiments/{experimentId}/runs' },
  listExperimentParams: { method: 'get', path: '/api/experiments/{experimentId}/params' },
  previewDeletion: { method: 'get', path: '/api/experiments/{experimentId}/deletion-preview' },
  deleteExperiment: { method: 'delete', path: '/api/experiments/{experimentId}' },
  deleteExperiments: { method: 'post', path: '/api/experiments/delete-bulk' },
  stopExperiment: { method: 'post', path: '/api/experiments/{experimentId}/stop' },
  analyseExperiment: { method: 'get', path: '/api/experiments/{experimentId}/analysis' },
  exportExperimentAnalysis: {
    method: 'get',
    path: '/api/experiments/{experimentId}/analysis/latex',
  },
  exportExperiment: { method: 'get', path: '/api/experiments/{experimentId}/latex' },
  listExperimentTraces: { method: 'get', path: '/api/experiments/{experimentId}/traces' },
  listProblems: { method: 'get', path: '/api/analysis/problems' },
  compareProblem: { method: 'get', path: '/api/analysis/problem/{problemType}' },
  exportProblemComparison: { method: 'get', path: '/api/analysis/problem/{problemType}/latex' },
  describeParameters: { method: 'get', path: '/api/analysis/parameters' },
  overlayRuns: { method: 'get', path: '/api/analysis/runs' },
  overlayTelemetry: { method: 'get', path: '/api/analysis/runs/telemetry' },
  compareAcross: { method: 'get', path: '/api/analysis/across' },
  exportAcross: { method: 'get', path: '/api/analysis/across/latex' },
  listCampaigns: { method: 'get', path: '/api/coco/campaigns' },
  getCampaign: { method: 'get', path: '/api/coco/campaigns/{campaignId}' },
  listOptimizers: { method: 'get', path: '/api/coco/campaigns/{campaignId}/optimizers' },
  listAggregates: { method: 'get', path: '/api/coco/campaigns/{campaignId}/aggregates' },
  listTrials: { method: 'get', path: '/api/coco/campaigns/{campaignId}/trials' },
  listErts: { method: 'get', path: '/api/coco/campaigns/{campaignId}/erts' },
  exportErts: { method: 'get', path: '/api/coco/campaigns/{campaignId}/erts/latex' },
  getEcdf: { method: 'get', path: '/api/coco/campaigns/{campaignId}/ecdf' },
  getCompleteness: { method: 'get', path: '/api/coco/campaigns/{campaignId}/completeness' },
  previewCampaignDeletion: {
    method: 'get',
    path: '/api/coco/campaigns/{campaignId}/deletion-preview',
  },
  deleteCampaign: { method: 'delete', path: '/api/coco/campaigns/{campaignId}' },
  startImport: { method: 'post', path: '/api/import' },
  listImports: { method: 'get', path: '/api/import' },
  getImport: { method: 'get', path: '/api/import/{importId}' },
  watchImport: { method: 'get', path: '/api/import/{importId}/events' },
  cancelImport: { method: 'delete', path: '/api/import/{importId}' },
  listDataSets: { method: 'get', path: '/api/datasets' },
  previewDataSetDeletion: { method: 'get', path: '/api/datasets/{name}/deletion-preview' },
  deleteDataSet: { method: 'delete', path: '/api/datasets/{name}' },
  listDatabases: { method: 'get', path: '/api/databases' },
  testDatabase: { method: 'post', path: '/api/databases/test' },
  openDatabase: { method: 'post', path: '/api/databases/open' },
  makeSample: { method: 'post', path: '/api/databases/sample' },
  getFacets: { method: 'get', path: '/api/facets' },
  listParamPaths: { method: 'get', path: '/api/param-paths' },
  getSummary: { method: 'get', path: '/api/dashboard/summary' },
  getHealth: { method: 'get', path: '/api/health' },
  getOpenApi: { method: 'get', path: '/api/openapi.json' },
  getDocs: { method: 'get', path: '/api/docs' },
  watchChanges: { method: 'get', path: '/api/changes' },
} as const satisfies Record<string, Address>;

export type EndpointName = keyof typeof addresses;
