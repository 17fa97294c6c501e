import type { OpenApiDocument } from './openapi.ts';

/**
 * Returns the OpenAPI document of the service. Loads the generator only on the first request, because it then stays in
 * the memory of the thread.
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
