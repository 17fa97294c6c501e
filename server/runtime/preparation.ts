/**
 * Whether a service starts the threads of analyses before the first request for one, and warms them up while it is
 * idle. The bundle of the tests replaces this module, because most of their services end without an analysis.
 */
export const canPrepareAnalyses: boolean = true;
