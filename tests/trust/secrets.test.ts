import SqliteDatabase from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maskText, maskYaml } from '#server/domain/secrets/mask-text.ts';
import type { Database } from '#server/db/database.ts';
import { createSqliteKyselyDialect } from '#server/db/dialects/sqlite-driver.ts';
import type { Tables } from '#server/db/schema.ts';
import { countEvents } from '#server/repositories/events.ts';
import { describeOnEachDatabase, type TestDatabase } from '#tests/support/databases.ts';
import { insert } from '#tests/support/rows.ts';
import { startService, type TestService } from '#tests/support/test-service.ts';

const secret = 'hunter-2-of-clubs';

/** Ways in which a runner, a library or a person wrote down a secret. */
const written: Record<string, string> = {
  'JSON in a message': `Cannot connect: {"user":"me","password":"${secret}"}`,
  'nested JSON in a message': `failed with {"secrets": {"a": "${secret}",\n "b": ["${secret}"]}}`,
  'escaped JSON in a message': `answer was {\\"password\\":\\"${secret}\\",\\"a\\":1}`,
  'a pair in a message': `java.sql.SQLException: password=${secret} rejected\n  at Main.java:5`,
  'a pair with spaces': `the password : x ${secret} was wrong`,
  'a phrase with a colon': `Password for user me: ${secret}`,
  'a token that was refused': `401: invalid token: ${secret}`,
  'a Java map': `Config{user=me, dbPassword=a,b${secret}, port=1}`,
  'a Python dictionary': `{'user': 'me', 'password': 'x y, ${secret}'}`,
  'an address': `see postgres://me:${secret}@host/db for more`,
  'a parameter': `jdbc:postgresql://host/db?user=me&password=a/b#c?d'e<f${secret}&ssl=true`,
  ...Object.fromEntries(
    ['/', '#', '?', "'", '<', ',', '{', ']', '@', ':'].map((sign) => [
      `an address whose password has ${sign}`,
      `see postgres://me:x${sign}${secret}@host/db for more`,
    ]),
  ),
  'a value on the next line': `wrong password:\n  ${secret}`,
};

const yaml: Record<string, string> = {
  'a comment': `user: me\n# password: ${secret}\n`,
  'a comment behind a value': `user: me # password was "x", token: ${secret}\n`,
  'JSON in single quotes': `config: '{"password":"${secret}"}'\n`,
  'JSON in double quotes': `config: "{\\"password\\":\\"${secret}\\"}"\n`,
  'JSON in a block text': `config: |\n  {"password":\n  "${secret}"}\n`,
  'YAML in a block text': `config: |\n  secrets:\n    a: ${secret}\n`,
  'a merge key': `base: &base\n  hint: ${secret}\npassword:\n  <<: *base\n`,
  'an alias of an alias': `a: &a ${secret}\nb: &b\n  - *a\npassword: *b\n`,
  'an anchor on a key': `&k password:\n  x: ${secret}\n`,
  'an alias as a key': `a: &k password\n*k : ${secret}\n`,
  'an explicit key': `? password\n: ${secret}\n`,
  'a key with escapes': `"p\\x61ssword": ${secret}\n`,
  'a list without indentation': `tokens:\n- a\n- ${secret}\n`,
  'a flow list over lines': `tokens: [a,\n  b, ${secret}]\n`,
  'a malformed flow list': `a: [\npassword: ${secret}\n`,
  'a malformed block': `a: "x" y\n  password: ${secret}\n z\n`,
  'a key in the place of a value': `password: ${secret}: x\na: {password:\n  ${secret}\nuser: b}\n`,
  'tabs before a key': `a:\n\tpassword: ${secret}\n`,
  'a folded text': `password: >-\n  x\n\n  ${secret}\n`,
  'a second document': `a: 1\n---\npassword: ${secret}\n...\n`,
};

/** 1.1 MB of YAML in few lines. */
const filler = `list:\n${`  - "${'some text '.repeat(100)}"\n`.repeat(1_100)}`;

describe('a secret is masked', () => {
  test.each(Object.entries(written))('in %s', (_name, text) => {
    expect(maskText(text)).not.toContain(secret);
    expect(maskText(JSON.stringify({ note: text }))).not.toContain(secret);
    expect(maskYaml(`note: |\n  ${text.replaceAll('\n', '\n  ')}\n`)).not.toContain(secret);
  });

  test.each(Object.entries(yaml))('in YAML with %s, above 1 MiB too', (_name, text) => {
    expect(maskYaml(text)).not.toContain(secret);
    expect(maskYaml(filler + text)).not.toContain(secret);
    expect(maskText(JSON.stringify({ yaml: text }))).not.toContain(secret);
  });
});

test.each([
  'f(x)=1.5 at 3: reached',
  'line 3: unexpected token: "}", expected token: "]" after x=1',
  'found token-categorical at https://host:8080/path?page=2',
  '{"type":"token-categorical","token_mean_length":3.5}',
  'it\'s a "quoted" word, with a: b',
])('a text without a secret is unchanged: %s', (text) => {
  expect(maskText(text)).toBe(text);
});

describeOnEachDatabase('the service', (database) => {
  let service: TestService;
  const list = JSON.stringify(['a', secret, { b: secret }]);
  const message = written['JSON in a message'];

  beforeAll(async () => {
    const texts = { config_json: JSON.stringify(yaml), config_yaml: Object.values(yaml).join('') };
    await insert(database(), 'experiments', { experiment_id: 'e1', ...texts });
    await insert(database(), 'experiment_params', {
      param_path: 'persistence.tokens',
      leaf_key: 'tokens',
      value_type: 'json',
      value_json: list,
    });
    await insert(database(), 'runs', {
      run_id: 'r1',
      status: 'FAILED',
      best_summary: message,
      error_message: message,
      resumed_from: message,
      artifacts_json: message,
    });
    await insert(database(), 'events', {
      run_id: 'r1',
      payload_json: JSON.stringify({ message }),
    });
    await insert(database(), 'checkpoints', { run_id: 'r1', checkpoint_path: message });
    await insert(database(), 'iterations', {
      iteration: 1,
      metrics_json: JSON.stringify({ message }),
      diagnostics_json: message,
    });
    service = await startService(database(), { isInThisThread: true });
  });
  afterAll(() => service.close());

  test.each([
    '/api/runs',
    '/api/runs?params=persistence.tokens,persistence',
    '/api/runs?params=persistence.tokens&sortBy=param:persistence.tokens',
    '/api/experiments?params=persistence.tokens',
    '/api/experiments/e1',
    '/api/experiments/e1/runs',
    '/api/experiments/e1/params',
    '/api/runs/r1',
    '/api/runs/r1/params',
    '/api/runs/r1/events',
    '/api/runs/r1/events?previewBytes=60',
    '/api/runs/r1/checkpoints',
    '/api/runs/r1/iterations',
    '/api/dashboard/summary',
  ])('shows no secret at %s', async (path) => {
    const response = await fetch(service.url + path);
    const text = await response.text();
    expect([response.status, text.includes(secret)]).toEqual([200, false]);
  });

  test('a search finds the shown text, and nothing by parts of a secret', async () => {
    const total = async (q: string) =>
      (await service.get<{ total: number }>(`/api/runs/r1/events?q=${q}`)).total;
    expect([await total('Cannot'), await total('hunter'), await total('***')]).toEqual([1, 0, 1]);
  });
});

describeOnEachDatabase('an event search', (database) => {
  test('compares no masked text, so that its duration reveals nothing', async () => {
    await insert(database(), 'experiments', {});
    await insert(database(), 'runs', { run_id: 'r1' });
    const payloads = ['hidden and not to be found', 'hidden, and found as shown', 'open'];
    const rows = payloads.map((payload_json, index) => ({
      id: index + 1,
      run_id: 'r1',
      payload_json,
    }));
    await insert(database(), 'events', ...rows);
    const search = { q: 'hi', hiddenIds: [1, 2], matchingIds: [2] };
    const { found, compared } = await spiedByEach[database().dialect.name](database(), (store) =>
      countEvents(store, { runId: 'r1', search }),
    );
    expect({ found, compared }).toEqual({ found: 1, compared: ['open'] });
  });
});

/** What a query finds, and the texts that the database compares with a pattern for it. */
interface Spied {
  found: number;
  compared: string[];
}

type Ask = (store: Database) => Promise<number>;

const spiedByEach = { sqlite: spiedBySqlite, postgres: spiedByPostgres };

async function spiedBySqlite(database: TestDatabase, ask: Ask): Promise<Spied> {
  const handle = new SqliteDatabase(database.file ?? '');
  const compared: string[] = [];
  handle.function('like', { varargs: true }, (pattern: unknown, text: unknown) => {
    compared.push(String(text));
    return Number(String(text).includes(String(pattern).replaceAll('%', '')));
  });
  const dialect = createSqliteKyselyDialect({ getHandle: () => handle, isWriting: false });
  const kysely = new Kysely<Tables>({ dialect });
  const found = await ask({ ...database, kysely });
  await kysely.destroy();
  return { found, compared };
}

/** `ilike` is the first operator `~~*` on the path. */
async function spiedByPostgres(database: TestDatabase, ask: Ask): Promise<Spied> {
  return database.kysely.connection().execute(async (kysely) => {
    const spy = [
      'create schema spy',
      'create table spy.compared (id serial, compared text)',
      `create function spy.compare(text, text) returns boolean language plpgsql as $$ begin
         insert into spy.compared (compared) values ($1);
         return $1 operator(pg_catalog.~~*) $2;
       end $$`,
      'create operator spy.~~* (leftarg = text, rightarg = text, function = spy.compare)',
      `set search_path = spy, pg_catalog, "$user", public`,
    ];
    for (const statement of spy) await sql.raw(statement).execute(kysely);
    const found = await ask({ ...database, kysely });
    const { rows } = await sql<{ compared: string }>`
      select compared from spy.compared order by id`.execute(kysely);
    await sql`reset search_path`.execute(kysely);
    return { found, compared: rows.map(({ compared }) => compared) };
  });
}
