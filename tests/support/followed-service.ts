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
  let events = 0;
  let arrival = Promise.withResolvers<void>();
  const read = async () => {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      events += chunk.split('data: ').length - 1;
      arrival.resolve();
      arrival = Promise.withResolvers();
    }
  };
  // Ends with the service, or when it is closed.
  read().catch(() => {});
  const more = async (count: number) => {
    while (events <= count) await arrival.promise;
  };
  await more(0);
  return { count: () => events, more, close: () => leaving.abort() };
}
