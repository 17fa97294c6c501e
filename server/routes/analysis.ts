import type { Router } from 'express';
import { endpoints } from '#shared/api.ts';
import { bindEndpoint } from '#server/http/bind-endpoint.ts';
import { PreparedAnswer } from '#server/http/prepared-answer.ts';
import type { AnalysisAnswers, ExportedFile } from '#server/analysis/analysis-answers.ts';
import type { CachedAnswer } from '#server/analysis/cache.ts';

/** Binds the analyses of experiments and the comparisons on problems. */
export function bindAnalysis(router: Router, answers: AnalysisAnswers): void {
  bindEndpoint(router, endpoints.analyseExperiment, async ({ params, query }) =>
    prepared(await answers.ask({ kind: 'experiment', ...params, query })),
  );
  for (const endpoint of [endpoints.exportExperimentAnalysis, endpoints.exportExperiment]) {
    bindEndpoint(router, endpoint, async ({ params, query }) =>
      attached(await answers.exportLatex({ kind: 'experiment', ...params, query })),
    );
  }
  bindEndpoint(router, endpoints.listExperimentTraces, async ({ params, query }) =>
    prepared(await answers.ask({ kind: 'traces', ...params, query })),
  );
  bindEndpoint(router, endpoints.listProblems, async () =>
    prepared(await answers.ask({ kind: 'problems' })),
  );
  bindEndpoint(router, endpoints.compareProblem, async ({ params, query }) =>
    prepared(await answers.ask({ kind: 'problem', ...params, query })),
  );
  bindEndpoint(router, endpoints.exportProblemComparison, async ({ params, query }) =>
    attached(await answers.exportLatex({ kind: 'problem', ...params, query })),
  );
}

function prepared({ text, state }: CachedAnswer): PreparedAnswer {
  return new PreparedAnswer(text, cacheStatus(state));
}

function attached({ text, state, fileName }: ExportedFile): PreparedAnswer {
  return new PreparedAnswer(text, {
    ...cacheStatus(state),
    'Content-Disposition': `attachment; filename="${fileName}"`,
  });
}

/** RFC 9211. */
function cacheStatus(state: CachedAnswer['state']): Record<string, string> {
  return { 'Cache-Status': state === 'hit' ? 'Evoscope; hit' : 'Evoscope; fwd=miss' };
}
