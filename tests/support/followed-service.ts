/** The event stream of a service. */
export interface EventStream {
  /** Returns the number of received events. */
  count(): number;
  /** Resolves when more than `count` events were received. Rejects if the stream has ended before. */
  waitForMore(count: number): Promise<void>;
  close(): void;
}

/** Opens the event stream of a service. Resolves after the first event, which the service sends immediately. */
export async function followChanges(address: string): Promise<EventStream> {
  const closeController = new AbortController();
  const response = await fetch(`${address}/api/changes`, { signal: closeController.signal });
  const { body, ok, status } = response;
  if (body === null || !ok) throw new Error(`The response to the event stream is ${status}`);
  const arrivals = { text: '', hasEnded: false, next: Promise.withResolvers<void>() };
  const countEvents = () => arrivals.text.split('data: ').length - 1;
  const notify = () => {
    arrivals.next.resolve();
    arrivals.next = Promise.withResolvers();
  };
  const read = async () => {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      arrivals.text += chunk;
      notify();
    }
  };
  const end = () => {
    arrivals.hasEnded = true;
    notify();
  };
  // The stream ends with the service, or when it is closed.
  read().then(end, end);
  const waitForMore = async (count: number) => {
    while (countEvents() <= count) {
      if (arrivals.hasEnded)
        throw new Error(`The event stream ended after ${countEvents()} events`);
      await arrivals.next.promise;
    }
  };
  await waitForMore(0);
  return { count: countEvents, waitForMore, close: () => closeController.abort() };
}
