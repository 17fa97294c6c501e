import { createServer } from 'node:http';
import SqliteDatabase from 'better-sqlite3';
import { type Answer, statements } from './statements.ts';

/**
 * The minimum cost of a response from this database: its statement on the driver alone, its rows as
 * JSON, sent by a handler that does nothing else. `node floor.ts <file>` prints its port.
 */
const database = new SqliteDatabase(process.argv[2], { readonly: true });
const answers = new Map<string, Answer>(
  Object.entries(statements).map(([name, prepare]) => [`/${name}`, prepare(database)]),
);

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (!answer) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer()));
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => server.close(() => database.close()));
