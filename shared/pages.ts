/** Where the pages stand; `:name` is one part of the path. Only pages that are there, as others answer 404. */
export const pagePaths = {
  runs: '/',
  run: '/runs/:runId',
  experiments: '/experiments',
  experiment: '/experiments/:experimentId',
  problems: '/problems',
  problem: '/problems/:problemType',
  compare: '/compare',
  campaigns: '/coco',
  campaign: '/coco/:campaignId',
  import: '/import',
  welcome: '/welcome',
  help: '/help',
  gallery: '/gallery',
} as const;

/** The name of a page. */
export type PageName = keyof typeof pagePaths;
