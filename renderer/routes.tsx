import type { RouteDefinition } from '@solidjs/router';
import { lazy } from 'solid-js';

const RunsPage = lazy(async () => ({
  default: (await import('./pages/runs/RunsPage.tsx')).RunsPage,
}));
const RunPage = lazy(async () => ({ default: (await import('./pages/run/RunPage.tsx')).RunPage }));
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
  { path: '/gallery', component: GalleryPage },
  { path: '*', component: NotFoundPage },
];
