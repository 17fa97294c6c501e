import { createServer } from 'node:http';
import SqliteDatabase from 'better-sqlite3';
import { type ReadRows, statements } from './statements.ts';

/**
 * The minimum cost of a response from this database: a handler runs only the statement and sends the rows as JSON.
 * `node floor.ts <file>` prints its port.
 */
const database = new SqliteDatabase(process.argv[2], { readonly: true });
const readers = new Map<string, ReadRows>(
  Object.entries(statements).map(([name, prepare]) => [`/${name}`, prepare(database)]),
);

const server = createServer((request, response) => {
  const read = readers.get(request.url ?? '');
  if (!read) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(read()));
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => server.close(() => database.close()));
