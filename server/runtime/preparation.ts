/**
 * Whether a service with {@link SessionContext.isPreparing} starts the threads of analyses before the first request for
 * one, and warms them up while they are idle. The bundle of the tests replaces this module, except for the long ones,
 * because most of their services end without an analysis.
 */
export const canPrepareAnalyses: boolean = true;
