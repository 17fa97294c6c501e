import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server that speaks as much of PostgreSQL's protocol as a test of broken servers needs. */
export interface FakePostgres {
  readonly port: number;
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** The behaviour of a broken server for a connection. */
export type Behaviour = (socket: Socket) => void;

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const passwordRequest = message('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')]));
const accepted = Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))]);

/** Refuses encryption, then calls `then` for the start-up message proper. */
function afterStartUp(then: Behaviour): Behaviour {
  return (socket) => {
    socket.on('data', (data) => {
      const isEncryption = data.length === 8 && data.readInt32BE(4) === 80_877_103;
      if (isEncryption) socket.write('N');
      else then(socket);
    });
  };
}

/** Servers that accept a connection and are of no use. */
export const behaviours = {
  /** Sends nothing. */
  silent: () => {},
  /** Requests a password, and sends nothing after it. */
  askingForPassword: afterStartUp((socket) => {
    if (socket.bytesWritten <= 1) socket.write(passwordRequest);
  }),
  /** Closes the connection in the middle of the handshake. */
  dying: afterStartUp((socket) => {
    socket.write(passwordRequest.subarray(0, 4));
    socket.destroy();
  }),
  /** Sends its response one byte a second. */
  dripping: afterStartUp((socket) => {
    const bytes = message('R', Buffer.alloc(1_000));
    let sent = 0;
    const timer = setInterval(() => socket.write(bytes.subarray(sent, ++sent)), 1_000);
    socket.once('close', () => clearInterval(timer));
  }),
  /** Accepts the user, and sends nothing more. */
  silentAfterLogin: (() => {
    const greeted = new WeakSet<Socket>();
    return afterStartUp((socket) => {
      if (!greeted.has(socket)) socket.write(accepted);
      greeted.add(socket);
    });
  })(),
} satisfies Record<string, Behaviour>;

/** Starts a server on a free port of 127.0.0.1. */
export async function startFakePostgres(behave: Behaviour): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.resume();
    behave(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    openConnections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
