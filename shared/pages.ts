/** Paths of the pages. `:name` matches any one segment. Any other path shows the not-found page, with the status 404. */
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
