import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A server that implements the part of PostgreSQL's protocol that tests of broken servers need. */
export interface FakePostgres {
  readonly port: number;
  /** Returns the number of open connections. */
  countConnections(): number;
  close(): Promise<void>;
}

/** The behaviour of a broken server for a connection. */
export type Behaviour = (socket: Socket) => void;

function makeMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function encodeInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const passwordRequest = makeMessage(
  'R',
  Buffer.concat([encodeInt32(10), Buffer.from('SCRAM-SHA-256\0\0')]),
);
const loginResponse = Buffer.concat([
  makeMessage('R', encodeInt32(0)),
  makeMessage('Z', Buffer.from('I')),
]);

/** Returns a behaviour that refuses encryption, then calls `handle` for the start-up message. */
function handleAfterStartUp(handle: Behaviour): Behaviour {
  return (socket) => {
    socket.on('data', (data) => {
      const isEncryption = data.length === 8 && data.readInt32BE(4) === 80_877_103;
      if (isEncryption) socket.write('N');
      else handle(socket);
    });
  };
}

/** Behaviours of servers that accept a connection but are broken. */
export const behaviours = {
  /** Sends nothing. */
  silent: () => {},
  /** Requests a password, and sends nothing after it. */
  requestingPassword: handleAfterStartUp((socket) => {
    if (socket.bytesWritten <= 1) socket.write(passwordRequest);
  }),
  /** Closes the connection in the middle of the handshake. */
  dying: handleAfterStartUp((socket) => {
    socket.write(passwordRequest.subarray(0, 4));
    socket.destroy();
  }),
  /** Sends its response one byte a second. */
  dripping: handleAfterStartUp((socket) => {
    const bytes = makeMessage('R', Buffer.alloc(1_000));
    let sentBytes = 0;
    const timer = setInterval(() => socket.write(bytes.subarray(sentBytes, ++sentBytes)), 1_000);
    socket.once('close', () => clearInterval(timer));
  }),
  /** Accepts the user, and sends nothing more. */
  silentAfterLogin: (() => {
    const acceptedSockets = new WeakSet<Socket>();
    return handleAfterStartUp((socket) => {
      if (!acceptedSockets.has(socket)) socket.write(loginResponse);
      acceptedSockets.add(socket);
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
    countConnections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
