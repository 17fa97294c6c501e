import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

const judged = new WeakMap<Socket, boolean>();

/**
 * Whether a connection comes from a process of another user of this machine, the superuser apart; judged once
 * for each. Linux only, where the table of connections tells whose they are: elsewhere, and for connections
 * from other machines, false. One whose process is gone already is a stranger, since nobody can tell.
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

/** The user id of the process at the first end of a connection between two; undefined when there is none. */
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

/** An IPv4 address, perhaps within an IPv6 one, as the table writes it: its last byte first. */
function fourBytes(address: string): string {
  const bytes = address.replace('::ffff:', '').split('.');
  return bytes
    .toReversed()
    .map((byte) => hex(Number(byte), 2))
    .join('');
}

/** Loopback or an IPv4 address as the table of IPv6 connections writes it: words with their last byte first. */
function sixteenBytes(address: string): string {
  return address === '::1'
    ? `${'0'.repeat(24)}01000000`
    : `${'0'.repeat(16)}FFFF0000${fourBytes(address)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
