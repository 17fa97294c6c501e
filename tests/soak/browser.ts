import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright';
import { chromiumArguments, ensureChromium } from '#build/gate/chromium.ts';

const patienceMillis = 180_000;

/** What a page of the browser uses. */
interface PageUsage {
  path: string;
  heapMegabytes: number;
  nodes: number;
}

/** Chromium with pages of the service, all visible. */
export class LivePages {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #origin: string;
  /** Requests under `/api` so far. */
  readonly requests: string[] = [];
  /** Exceptions that no page caught. */
  readonly errors: string[] = [];

  private constructor(browser: Browser, context: BrowserContext, origin: string) {
    this.#browser = browser;
    this.#context = context;
    this.#origin = origin;
    context.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith('/api/')) this.requests.push(pathname + search);
    });
    context.on('weberror', (event) => this.errors.push(String(event.error())));
  }

  /** Opens a window for each of these paths. */
  static async open(origin: string, paths: readonly string[]): Promise<LivePages> {
    const executablePath = ensureChromium();
    const browser = await chromium.launch({ args: chromiumArguments, executablePath });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    // A machine that does other work too takes minutes for a page.
    context.setDefaultTimeout(patienceMillis);
    const pages = new LivePages(browser, context, origin);
    for (const path of paths) await pages.openMore(path);
    return pages;
  }

  async openMore(path: string): Promise<void> {
    const page = await this.#context.newPage();
    await page.goto(this.#origin + path);
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  }

  /** Heap and nodes of every page after a garbage collection. */
  usage(): Promise<PageUsage[]> {
    return Promise.all(this.#context.pages().map((page) => this.#getUsage(page)));
  }

  async #getUsage(page: Page): Promise<PageUsage> {
    const devtools = await this.#context.newCDPSession(page);
    await devtools.send('HeapProfiler.collectGarbage');
    await devtools.send('Performance.enable');
    const { metrics } = await devtools.send('Performance.getMetrics');
    await devtools.detach();
    const getValue = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? NaN;
    return {
      path: new URL(page.url()).pathname,
      heapMegabytes: getValue('JSHeapUsedSize') / 2 ** 20,
      nodes: getValue('Nodes'),
    };
  }

  /** The requests that the pages send within so many milliseconds. */
  async requestsDuring(millis: number): Promise<string[]> {
    const before = this.requests.length;
    await delay(millis);
    return this.requests.slice(before);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
