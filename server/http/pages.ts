import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pagePaths } from '#shared/pages.ts';
import { ProblemError } from '#server/errors.ts';
import { limitSending } from './guards.ts';
import express, { Router, type Request, type Response } from 'express';

/** Patterns of the paths of the renderer's pages; all other paths show its not-found page. */
const pagePatterns = Object.values(pagePaths).map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);

/**
 * Maximum time for which the response of a page waits for the identity and the cursor of the database, in milliseconds.
 */
const cursorMillis = 100;

const notBuiltPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Evoscope: pages not built</title>
<h1>The pages are not built</h1>
<p>This service responds under <a href="/api/docs">/api</a>, but has no pages to show.</p>
<p>Build them with <code>npm run build</code>, then start the service again.</p>
`;

/** The database that a page shows. */
interface PageDatabase {
  readonly id: string;
  readCursor(): Promise<string>;
  readIdentity(): Promise<string>;
}

/** Returns whether the renderer has a page at this path, which may end with slashes. */
export function isKnownPage(path: string): boolean {
  const trimmedPath = path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
  return pagePatterns.some((page) => page.test(trimmedPath));
}

/**
 * Returns the URL of a page with each `%` as `%25` in the segments whose percent-encoding is invalid, because the router
 * of the pages fails for such a segment. Returns null if there is none. Begins with exactly one slash, because a browser
 * would read a name after two slashes as a host.
 */
function encodeInvalidSegments(url: string): string | null {
  const [path = '', ...query] = url.split('?');
  const segments = path
    .split('/')
    .map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')));
  const encodedPath = segments.join('/');
  return encodedPath === path ? null : [`/${encodedPath.replace(/^\/+/, '')}`, ...query].join('?');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the router of the pages. It sends the files of the directory. For every other path outside of `assets/`, it
 * sends `index.html` if the client accepts HTML. It throws NOT_FOUND otherwise. The status of `index.html` is 200
 * if the renderer has the page, and 404 for its not-found page. It redirects a path with an invalid percent-encoding to
 * the same text with a valid one. Clients cache files under `assets/` for a year, because the names of these files
 * change with their contents. A header of `index.html` names the database, its identity and its cursor. The page sends
 * the id and the identity with later requests, and the service refuses these requests if another database is open. The
 * page detects changes since the cursor. Clients without access do not get the header. Without built pages, a page
 * explains how to build them, with 503 instead of 200. Methods other than GET and HEAD get METHOD_NOT_ALLOWED.
 */
export function createPages(
  directory: string | undefined,
  getCurrentDatabase: () => PageDatabase,
  hasNoAccess: (request: Request) => boolean,
): Router {
  const router = Router();
  router.use((_request, response, next) => (limitSending(response), next()));
  const isBuilt = directory !== undefined && existsSync(join(directory, 'index.html'));
  if (isBuilt) router.use(serveFiles(directory));
  const sendPage = async (request: Request, response: Response) => {
    const status = isKnownPage(request.path) ? 200 : 404;
    const index = isBuilt ? await readIndex(directory) : null;
    if (index !== null) {
      if (!hasNoAccess(request)) await nameDatabase(response, getCurrentDatabase());
      response.status(status).set('Cache-Control', 'no-cache').type('html').send(index);
    } else
      response
        .status(status === 200 ? 503 : 404)
        .type('html')
        .send(notBuiltPage);
  };
  // A pattern as path would refuse paths with an invalid percent-encoding, for which a browser needs a page too.
  router.use((request: Request, response: Response) => {
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (!isPageRequest(request)) throw makeNotFoundError(request);
      const encodedUrl = encodeInvalidSegments(request.originalUrl);
      if (encodedUrl !== null) {
        // A program, which names no HTML, has made a mistake.
        if (!request.get('accept')?.includes('text/html')) throw new URIError(request.path);
        return response.redirect(303, encodedUrl);
      }
      return sendPage(request, response);
    }
    throw new ProblemError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not possible here. Use GET or HEAD`,
      {
        headers: { Allow: 'GET, HEAD' },
      },
    );
  });
  return router;
}

function serveFiles(directory: string) {
  return express.static(directory, {
    index: false,
    redirect: false,
    setHeaders: (response, path) => {
      const isHashed = path.startsWith(join(directory, 'assets'));
      const cacheControl = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.setHeader('Cache-Control', cacheControl);
    },
  });
}

/**
 * Sets the database, its identity and its cursor in `Server-Timing`, the one response header that a page can read.
 * Omits the identity or the cursor if it is empty, if reading it fails, or if reading it takes longer than {@link
 * cursorMillis}.
 */
async function nameDatabase(response: Response, database: PageDatabase): Promise<void> {
  const limitWait = (value: Promise<string>) =>
    Promise.race([value, delay(cursorMillis, '')]).catch(() => '');
  const [identity, cursor] = await Promise.all([
    limitWait(database.readIdentity()),
    limitWait(database.readCursor()),
  ]);
  const timings = Object.entries({ opened: database.id, identity, database: cursor })
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name};desc="${text}"`);
  response.setHeader('Server-Timing', timings.join(', '));
}

/**
 * Returns the content of `index.html`; null if it is not readable. Browsers revalidate it by its content, because two
 * versions may have the same size and time: they differ only in the hashes of file names, and some package managers
 * give all files the same time.
 */
function readIndex(directory: string): Promise<Buffer | null> {
  return readFile(join(directory, 'index.html')).catch(() => null);
}

function isPageRequest(request: Request): boolean {
  return !request.path.startsWith('/assets/') && request.accepts('html') === 'html';
}

function makeNotFoundError(request: Request): ProblemError {
  return new ProblemError(
    'NOT_FOUND',
    `There is nothing at ${request.path.slice(0, 200)}. Open / for the pages`,
  );
}
