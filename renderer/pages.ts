import { lazy, type Component } from 'solid-js';
import { pagePaths, type PageName } from '#shared/pages.ts';

/** A page and its place in the frame. */
interface Page {
  path: string;
  /** Its content, which loads when the user opens the page. */
  component: Component;
  /** Absent for pages without an entry in the sidebar. */
  place?: {
    label: string;
    /** Description of the command of the page. */
    command: string;
    icon: 'runs' | 'experiments' | 'problems' | 'campaigns' | 'import';
    keys: string;
  };
}

/** All pages, in the order of the sidebar; the source of routes, sidebar, shortcuts and palette. */
export const pages: readonly Page[] = [
  makePage('runs', async () => (await import('./pages/runs/RunsPage.tsx')).RunsPage, {
    label: 'Runs',
    command: 'Go to all runs',
    icon: 'runs',
    keys: 'g r',
  }),
  makePage(
    'experiments',
    async () => (await import('./pages/experiments/ExperimentsPage.tsx')).ExperimentsPage,
    { label: 'Experiments', command: 'Go to all experiments', icon: 'experiments', keys: 'g e' },
  ),
  makePage(
    'problems',
    async () => (await import('./pages/problems/ProblemsPage.tsx')).ProblemsPage,
    {
      label: 'Problems',
      command: 'Go to all problems',
      icon: 'problems',
      keys: 'g p',
    },
  ),
  makePage(
    'campaigns',
    async () => (await import('./pages/campaigns/CampaignsPage.tsx')).CampaignsPage,
    { label: 'COCO', command: 'Go to all COCO campaigns', icon: 'campaigns', keys: 'g c' },
  ),
  makePage('import', async () => (await import('./pages/import/ImportPage.tsx')).ImportPage, {
    label: 'Import',
    command: 'Import a data set of COCO, IOHprofiler or a table',
    icon: 'import',
    keys: 'g i',
  }),
  getChartPage('run', async () => (await import('./pages/run/RunPage.tsx')).RunPage),
  getChartPage(
    'experiment',
    async () => (await import('./pages/experiment/ExperimentPage.tsx')).ExperimentPage,
  ),
  getChartPage(
    'problem',
    async () => (await import('./pages/problem/ProblemPage.tsx')).ProblemPage,
  ),
  getChartPage(
    'compare',
    async () => (await import('./pages/compare/ComparePage.tsx')).ComparePage,
  ),
  getChartPage(
    'campaign',
    async () => (await import('./pages/campaign/CampaignPage.tsx')).CampaignPage,
  ),
  makePage('welcome', loadWelcome),
  makePage('help', async () => (await import('./pages/help/HelpPage.tsx')).HelpPage),
  makePage('gallery', async () => (await import('./pages/gallery/GalleryPage.tsx')).GalleryPage),
];

/** Page that replaces every other one while no database is open. */
export const WelcomePage = lazy(async () => ({ default: await loadWelcome() }));

/** Page of every unknown URL. */
export const NotFoundPage = lazy(async () => ({
  default: (await import('./pages/NotFoundPage.tsx')).NotFoundPage,
}));

async function loadWelcome(): Promise<Component> {
  return (await import('./pages/welcome/WelcomePage.tsx')).WelcomePage;
}

async function preloadPlotly(): Promise<void> {
  await (await import('./charts/plotly.ts')).loadPlotly();
}

/** Creates a page with charts. Their library, by far the largest script, loads while the page waits for its data. */
function getChartPage(name: PageName, load: () => Promise<Component>): Page {
  return makePage(name, async () => {
    const component = await load();
    // Loading it blocks the browser, so the page sends its requests first. The chart reports a failure to load.
    setTimeout(() => void preloadPlotly().catch(() => undefined));
    return component;
  });
}

function makePage(name: PageName, load: () => Promise<Component>, place?: Page['place']): Page {
  const component = lazy(async () => ({ default: await load() }));
  return { path: pagePaths[name], component, ...(place && { place }) };
}
