import { createMemo, type Accessor } from 'solid-js';
import { useUrl } from '#renderer/state/url.ts';
import { emphasisName, getEmphasised } from './emphasis.ts';

/** Creates {@link getEmphasised} for the series of a page, with the choice in its URL. */
export function createEmphasis(
  names: Accessor<readonly string[]>,
  best: Accessor<readonly string[]>,
): Accessor<readonly string[] | null> {
  const url = useUrl();
  return createMemo(() => getEmphasised(names(), best(), url.texts(emphasisName)));
}
