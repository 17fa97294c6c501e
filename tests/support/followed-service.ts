/** The event stream of a service. */
export interface EventStream {
  /** Returns the number of received events. */
  count(): number;
  /** Resolves when more than `count` events were received. */
  waitForMore(count: number): Promise<void>;
  close(): void;
}

/** Opens the event stream of a service. Resolves after the first event, which the service sends immediately. */
export async function followChanges(address: string): Promise<EventStream> {
  const closeController = new AbortController();
  const { body } = await fetch(`${address}/api/changes`, { signal: closeController.signal });
  if (body === null) throw new Error('The event stream has no body');
  const arrivals = { count: 0, next: Promise.withResolvers<void>() };
  const read = async () => {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      arrivals.count += chunk.split('data: ').length - 1;
      arrivals.next.resolve();
      arrivals.next = Promise.withResolvers();
    }
  };
  // The stream ends with the service, or when it is closed.
  read().catch(() => {});
  const waitForMore = async (count: number) => {
    while (arrivals.count <= count) await arrivals.next.promise;
  };
  await waitForMore(0);
  return { count: () => arrivals.count, waitForMore, close: () => closeController.abort() };
}
