/** The event stream of a service. */
export interface Followed {
  /** How many events have arrived. */
  count(): number;
  /** Settles when more than `count` events have arrived. */
  more(count: number): Promise<void>;
  close(): void;
}

/** Follows the changes that a service reports; settles with the first event, which every stream begins with. */
export async function followChanges(address: string): Promise<Followed> {
  const leaving = new AbortController();
  const { body } = await fetch(`${address}/api/changes`, { signal: leaving.signal });
  if (body === null) throw new Error('The event stream has no body');
  const arrivals = { count: 0, next: Promise.withResolvers<void>() };
  const read = async () => {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      arrivals.count += chunk.split('data: ').length - 1;
      arrivals.next.resolve();
      arrivals.next = Promise.withResolvers();
    }
  };
  // Ends with the service, or when it is closed.
  read().catch(() => {});
  const more = async (count: number) => {
    while (arrivals.count <= count) await arrivals.next.promise;
  };
  await more(0);
  return { count: () => arrivals.count, more, close: () => leaving.abort() };
}
