import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

const judged = new WeakMap<Socket, boolean>();

/**
 * Returns whether a connection comes from a process of another user of this machine except the superuser, tested once
 * for each connection. Linux only, where the table of connections shows their users; false on other systems and for
 * other machines. If the process has already ended, its user is unknown, and the connection counts as a stranger's.
 */
export function isStranger(socket: Socket): boolean {
  const known = judged.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  const isLocal = /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
  const own = process.getuid?.();
  const strange =
    process.platform === 'linux' &&
    isLocal &&
    ![0, own].includes(
      ownerOf([
        [remoteAddress, remotePort],
        [localAddress, localPort],
      ]),
    );
  judged.set(socket, strange);
  return strange;
}

type End = readonly [address: string, port: number];

/** Returns the user id of the process at the first end of a connection; undefined if there is none. */
function ownerOf(ends: readonly [End, End]): number | undefined {
  const inTable = (name: string, write: (address: string) => string) => {
    const [own, other] = ends.map(([address, port]) => `${write(address)}:${hex(port, 4)}`);
    const line = readFileSync(`/proc/net/${name}`, 'latin1')
      .split('\n')
      .find((row) => row.includes(`: ${own} ${other} `));
    const [, , , , , , , uid, , inode] = line?.trim().split(/\s+/) ?? [];
    return uid === undefined || inode === '0' ? undefined : Number(uid);
  };
  const isFour = ends[0][0].includes('.');
  return (isFour ? inTable('tcp', fourBytes) : undefined) ?? inTable('tcp6', sixteenBytes);
}

/** Returns an IPv4 address, also one mapped to IPv6, as the table writes it: its last byte first. */
function fourBytes(address: string): string {
  const bytes = address.replace('::ffff:', '').split('.');
  return bytes
    .toReversed()
    .map((byte) => hex(Number(byte), 2))
    .join('');
}

/** Returns loopback or an IPv4 address as the table of IPv6 connections writes it: words with their last byte first. */
function sixteenBytes(address: string): string {
  return address === '::1'
    ? `${'0'.repeat(24)}01000000`
    : `${'0'.repeat(16)}FFFF0000${fourBytes(address)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
