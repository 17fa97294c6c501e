import type { OpenApiDocument } from './openapi.ts';

type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;

/** Styles of this page. They use the design tokens of the other pages, from `/tokens.css`. */
const style = `
body { margin: 0; background: var(--bg); color: var(--text); font: var(--size-3)/1.5 var(--sans); }
main { margin: 0 auto; max-width: 90rem; padding: var(--space-5); }
h1 { font-size: var(--size-5); } h2 { font-size: var(--size-4); margin: 0; } h2 code { font-size: inherit; } #schemas { margin-top: var(--space-5); font-size: var(--size-5); }
h2 b { color: var(--accent); text-transform: uppercase; }
code, pre { font-family: var(--mono); font-size: var(--size-2); }
a { color: var(--accent); }
section, .schema { overflow-x: auto; margin: var(--space-4) 0; padding: var(--space-3) var(--space-4); border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
p { margin: var(--space-1) 0; } summary { color: var(--muted); cursor: pointer; }
table { width: 100%; border-collapse: collapse; margin: var(--space-2) 0; }
th { color: var(--muted); font-size: var(--size-2); font-weight: 500; }
th, td { border-bottom: 1px solid var(--line); padding: var(--space-1) var(--space-3) var(--space-1) 0; text-align: start; vertical-align: top; }
td:nth-child(3) { min-width: 22rem; } td:last-child { width: 40%; overflow-wrap: anywhere; }
pre { max-height: 60vh; overflow: auto; padding: var(--space-3); border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunken); }
nav ul { columns: 22rem; margin: 0; padding: 0; list-style: none; }
`;

/**
 * Returns an HTML page with the operations and schemas of the document, in the style of the other pages. The page loads
 * nothing from other sites, and its only script sets the theme.
 */
export function renderDocsPage(document: OpenApiDocument): string {
  const operations = listOperations(document);
  const title = `${document.info.title} ${document.info.version}: HTTP interface`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="stylesheet" href="/tokens.css">
<script src="/first-paint.js"></script>
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p><a href="/">Evoscope</a></p>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(document.info.description ?? '')} The same as a document: <a href="/api/openapi.json">OpenAPI ${escapeHtml(document.openapi)}</a>.</p>
<nav aria-label="Operations"><ul>${operations.map(linkTo).join('')}</ul></nav>
${operations.map(renderOperation).join('\n')}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components?.schemas ?? {})
  .map(renderSchema)
  .join('\n')}
</main>
</body>
</html>
`;
}

interface ListedOperation {
  method: string;
  path: string;
  operation: Operation;
}

function listOperations(document: OpenApiDocument): ListedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

function linkTo({ method, path, operation }: ListedOperation): string {
  const id = escapeHtml(operation.operationId ?? '');
  return `<li><a href="#${id}">${method.toUpperCase()} ${escapeHtml(path)}</a></li>`;
}

function renderOperation({ method, path, operation }: ListedOperation): string {
  return `<section id="${escapeHtml(operation.operationId ?? '')}">
<h2><b>${method}</b> <code>${escapeHtml(path)}</code></h2>
<p>${escapeHtml(operation.summary ?? '')}</p>
${renderParameters(operation)}
<details><summary>Responses</summary><pre>${formatJson(operation.responses)}</pre></details>
${operation.requestBody ? `<details><summary>Body</summary><pre>${formatJson(operation.requestBody)}</pre></details>` : ''}
</section>`;
}

function renderParameters(operation: Operation): string {
  const rows = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter
      ? ''
      : `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${escapeHtml(parameter.in)}${parameter.required ? ', required' : ''}</td><td>${escapeHtml(parameter.description ?? '')}</td><td><code>${formatJson(parameter.schema, 0)}</code></td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<table><thead><tr><th>Parameter</th><th>In</th><th>Meaning</th><th>Schema</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function renderSchema([name, schema]: [string, unknown]): string {
  return `<details class="schema" id="schema-${escapeHtml(name)}"><summary>${escapeHtml(name)}</summary><pre>${formatJson(schema)}</pre></details>`;
}

function formatJson(value: unknown, indent = 2): string {
  return escapeHtml(JSON.stringify(value, null, indent) ?? '');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
