import * as z from 'zod';
import { maskings } from '#shared/schemas/masked.ts';
import { maskResponse } from '#server/domain/secrets/mask-response.ts';

const maskedTexts = z.record(z.string(), z.string()).register(maskings, { as: 'params' });

/** Returns parameters or tags without the secrets in them. */
export function maskTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  return maskResponse(maskedTexts, { ...texts });
}

/** Returns parameters or tags as MLflow writes them. */
export function listTexts(texts: Readonly<Record<string, string>>) {
  return Object.entries(texts).map(([key, value]) => ({ key, value }));
}
