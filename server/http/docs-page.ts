import type { OpenApiDocument } from './openapi.ts';

type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;

const style = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; }
h2 { font-size: 1rem; margin: 2rem 0 .25rem; } h2 code { font-size: 1rem; }
b { text-transform: uppercase; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
pre { overflow: auto; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; }
nav ul { columns: 2; padding-left: 1.2rem; }
`;

/** A page that shows the document: no script, nothing from elsewhere. */
export function renderDocsPage(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const title = `${document.info.title} ${document.info.version}: HTTP interface`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(document.info.description ?? '')} The same as a document: <a href="/api/openapi.json">OpenAPI ${escaped(document.openapi)}</a>.</p>
<nav aria-label="Operations"><ul>${operations.map(linkTo).join('')}</ul></nav>
${operations.map(renderOperation).join('\n')}
<h1>Schemas</h1>
${Object.entries(document.components?.schemas ?? {})
  .map(renderSchema)
  .join('\n')}
</main>
</body>
</html>
`;
}

interface Listed {
  method: string;
  path: string;
  operation: Operation;
}

function operationsOf(document: OpenApiDocument): Listed[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

function linkTo({ method, path, operation }: Listed): string {
  const id = escaped(operation.operationId ?? '');
  return `<li><a href="#${id}">${method.toUpperCase()} ${escaped(path)}</a></li>`;
}

function renderOperation({ method, path, operation }: Listed): string {
  return `<section id="${escaped(operation.operationId ?? '')}">
<h2><b>${method}</b> <code>${escaped(path)}</code></h2>
<p>${escaped(operation.summary ?? '')}</p>
${renderParameters(operation)}
<details><summary>Answers</summary><pre>${json(operation.responses)}</pre></details>
${operation.requestBody ? `<details><summary>Body</summary><pre>${json(operation.requestBody)}</pre></details>` : ''}
</section>`;
}

function renderParameters(operation: Operation): string {
  const rows = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter
      ? ''
      : `<tr><td><code>${escaped(parameter.name)}</code></td><td>${escaped(parameter.in)}${parameter.required ? ', required' : ''}</td><td><code>${json(parameter.schema, 0)}</code></td></tr>`,
  );
  if (rows.length === 0) return '';
  return `<table><thead><tr><th>Parameter</th><th>In</th><th>Schema</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function renderSchema([name, schema]: [string, unknown]): string {
  return `<details id="schema-${escaped(name)}"><summary>${escaped(name)}</summary><pre>${json(schema)}</pre></details>`;
}

function json(value: unknown, indent = 2): string {
  return escaped(JSON.stringify(value, null, indent) ?? '');
}

function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
