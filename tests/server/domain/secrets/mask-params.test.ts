import { expect, test } from 'vitest';
import { maskParam, maskListedParam } from '#server/domain/secrets/mask-params.ts';
import type { ParamRow } from '#shared/schemas/run.ts';

const row: ParamRow = {
  id: 1,
  experimentId: 'e',
  section: 'persistence',
  paramPath: 'persistence.database.user',
  leafKey: 'user',
  valueType: 'string',
  valueText: 'me',
  valueNumber: null,
  valueBoolean: null,
  valueJson: null,
};

test('maskParam masks all values of a parameter with a secret path', () => {
  const path = { paramPath: 'persistence.database.password', leafKey: 'password' };
  expect(maskParam({ ...row, ...path, valueText: 'pw' }).valueText).toBe('***');
  const number = maskParam({ ...row, ...path, valueText: '1234', valueNumber: 1234 });
  expect(number).toMatchObject({ valueText: '***', valueNumber: null });
  const json = maskParam({ ...row, ...path, valueText: null, valueJson: '["a",{"b":"c"}]' });
  expect(json.valueJson).toBe('["***",{"b":"***"}]');
});

test('maskParam masks the value of a parameter at any depth below a secret key', () => {
  const nestedRow = { ...row, paramPath: 'web.secrets[0].name', leafKey: 'name', valueText: 'pw' };
  expect(maskParam(nestedRow).valueText).toBe('***');
});

test('maskParam does not mask a number whose key only begins with a secret word', () => {
  const rate = { ...row, paramPath: 'model.token_rate', leafKey: 'token_rate' };
  const maskedRow = maskParam({ ...rate, valueText: '0.5', valueNumber: 0.5 });
  expect(maskedRow).toMatchObject({ valueText: '0.5', valueNumber: 0.5 });
});

test('maskParam masks numbers in JSON by the same rule', () => {
  const maskNumbers = (paramPath: string, leafKey: string) =>
    maskParam({ ...row, paramPath, leafKey, valueText: null, valueJson: '[1234]' }).valueJson;
  expect(maskNumbers('persistence.database.password', 'password')).toBe('["***"]');
  expect(maskNumbers('model.token_rates', 'token_rates')).toBe('[1234]');
});

test('maskParam masks in other parameters only secrets inside JSON and URLs', () => {
  expect(maskParam(row)).toEqual(row);
  expect(maskParam({ ...row, valueJson: '{"password":"pw","a":1}' }).valueJson).toBe(
    '{"password":"***","a":1}',
  );
  expect(maskParam({ ...row, valueText: 'https://me:pw@host/x' }).valueText).toBe(
    'https://***@host/x',
  );
});

test('maskListedParam masks the column of a parameter by the same rule', () => {
  expect(maskListedParam('persistence.database.password', 'pw')).toBe('***');
  expect(maskListedParam('persistence.tokens', '["a",{"b":"c"}]')).toBe('["***",{"b":"***"}]');
  expect(maskListedParam('persistence.tokens', '[x')).toBe('***');
  expect(maskListedParam('persistence.password[0]', '1234')).toBe('***');
  expect(maskListedParam('persistence.tokens[0]', '1234')).toBe('1234');
  expect(maskListedParam('persistence.url', 'https://me:pw@host/x')).toBe('https://***@host/x');
  expect(maskListedParam('algorithm.populationSize', '20')).toBe('20');
  expect(maskListedParam('algorithm.populationSize', null)).toBeNull();
});
