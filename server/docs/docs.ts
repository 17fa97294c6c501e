import type { OpenApiDocument } from './openapi.ts';

/**
 * Returns the OpenAPI document of the service. Loads its generator on the first request, because each thread that loads
 * it retains it in memory.
 */
export async function getOpenApiDocument(version: string): Promise<OpenApiDocument> {
  const { createOpenApiDocument } = await import('./openapi.ts');
  return createOpenApiDocument(version);
}

/** Returns the OpenAPI document as an HTML page. */
export async function getDocsPage(version: string): Promise<string> {
  const { renderDocsPage } = await import('./docs-page.ts');
  return renderDocsPage(await getOpenApiDocument(version));
}
