import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

/** A proxy of a PostgreSQL server that does not pass on the settings of connections, as connection poolers do. */
export interface FakePooler {
  /** URL of a database of the server through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a pooler for the database of a URL with sslmode=disable. It ignores the option `options` of connections, like
 * PgBouncer with `ignore_startup_parameters`, or with `isRefusing` refuses them, as PgBouncer does by default.
 */
export async function startFakePooler(url: string, isRefusing = false): Promise<FakePooler> {
  const parsedUrl = new URL(url);
  const port = Number(parsedUrl.port);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (startup) => {
      if (isRefusing) {
        socket.end(refusal);
        return;
      }
      const upstream = connect(port, '127.0.0.1');
      upstream.on('error', () => socket.destroy());
      socket.once('close', () => upstream.destroy());
      upstream.write(removeOptions(startup));
      socket.pipe(upstream).pipe(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  parsedUrl.port = String((server.address() as AddressInfo).port);
  return {
    url: parsedUrl.href,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

const refusalFields = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
const refusal = Buffer.concat([
  Buffer.from('E'),
  encodeInt32(refusalFields.length + 4),
  Buffer.from(refusalFields),
]);

/** Returns a startup message, which is a length, a version, and names with their values, without `options`. */
function removeOptions(startup: Buffer): Buffer {
  const [version, texts] = [startup.subarray(4, 8), startup.toString('utf8', 8).split('\0')];
  const index = texts.indexOf('options');
  if (index >= 0) texts.splice(index, 2);
  const body = Buffer.from(texts.join('\0'));
  return Buffer.concat([encodeInt32(body.length + 8), version, body]);
}

function encodeInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
