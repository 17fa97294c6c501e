import type { OpenApiDocument } from './openapi.ts';

/**
 * The OpenAPI document of the service. What makes it is loaded when it is first requested: each thread that loads it
 * keeps it in memory.
 */
export async function openApiDocument(version: string): Promise<OpenApiDocument> {
  const { createOpenApiDocument } = await import('./openapi.ts');
  return createOpenApiDocument(version);
}

/** The same document as a page of HTML. */
export async function docsPage(version: string): Promise<string> {
  const { renderDocsPage } = await import('./docs-page.ts');
  return renderDocsPage(await openApiDocument(version));
}
