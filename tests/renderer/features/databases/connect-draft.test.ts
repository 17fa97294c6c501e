import { expect, test } from 'vitest';
import {
  beginDraft,
  draft,
  getFaults,
  getPlace,
} from '#renderer/features/databases/connect-draft.ts';

const form = {
  host: ' db.example ',
  port: '5433',
  database: 'runs',
  user: '',
  password: ' with spaces ',
  sslmode: 'require',
  schema: '',
};

test('a form is sent without the fields that were left empty, its password as it is', () => {
  expect(getPlace(form)).toEqual({
    postgres: {
      host: 'db.example',
      port: 5433,
      database: 'runs',
      password: ' with spaces ',
      sslmode: 'require',
    },
  });
});

test('a missing value or an invalid port is reported by its field', () => {
  expect(getFaults(form)).toEqual({});
  expect(getFaults({ ...form, host: ' ', port: '0', database: '' })).toEqual({
    host: 'Enter the name or address of the server.',
    port: 'Enter a whole number from 1 to 65535.',
    database: 'Enter the name of the database.',
  });
  expect(getFaults({ ...form, port: '65536' })).toHaveProperty('port');
});

test('a form initially has the values of the previous opening without the password', () => {
  beginDraft({ host: 'h', port: 5432, database: 'd', user: 'me', sslmode: 'prefer' });
  expect({ ...draft }).toEqual({
    host: 'h',
    port: '5432',
    database: 'd',
    user: 'me',
    password: '',
    sslmode: 'prefer',
    schema: '',
  });
});
