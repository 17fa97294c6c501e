import type { RouteDefinition } from '@solidjs/router';
import { lazy } from 'solid-js';

const RunsPage = lazy(async () => ({
  default: (await import('./pages/runs/RunsPage.tsx')).RunsPage,
}));
const RunPage = lazy(async () => ({ default: (await import('./pages/run/RunPage.tsx')).RunPage }));
const ExperimentsPage = lazy(async () => ({
  default: (await import('./pages/experiments/ExperimentsPage.tsx')).ExperimentsPage,
}));
const ExperimentPage = lazy(async () => ({
  default: (await import('./pages/experiment/ExperimentPage.tsx')).ExperimentPage,
}));
const ProblemsPage = lazy(async () => ({
  default: (await import('./pages/problems/ProblemsPage.tsx')).ProblemsPage,
}));
const ProblemPage = lazy(async () => ({
  default: (await import('./pages/problem/ProblemPage.tsx')).ProblemPage,
}));
const GalleryPage = lazy(async () => ({
  default: (await import('./pages/gallery/GalleryPage.tsx')).GalleryPage,
}));
const NotFoundPage = lazy(async () => ({
  default: (await import('./pages/NotFoundPage.tsx')).NotFoundPage,
}));

/** Every page with its path. */
export const routes: RouteDefinition[] = [
  { path: '/', component: RunsPage },
  { path: '/runs/:runId', component: RunPage },
  { path: '/experiments', component: ExperimentsPage },
  { path: '/experiments/:experimentId', component: ExperimentPage },
  { path: '/problems', component: ProblemsPage },
  { path: '/problems/:problemType', component: ProblemPage },
  { path: '/gallery', component: GalleryPage },
  { path: '*', component: NotFoundPage },
];
