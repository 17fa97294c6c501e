/**
 * Whether a service with {@link SessionContext.isPreparing} starts the threads of analyses before the first analysis,
 * and warms them up while they are idle. The bundle of the tests, except that of the long tests, replaces this module,
 * because most services of the tests end without an analysis.
 */
export const canPrepareAnalyses: boolean = true;
