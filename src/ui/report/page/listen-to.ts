/** Listens to events of a target. Returns a function that stops. */
export function listenTo(target: EventTarget, names: readonly string[], listen: (event: Event) => void): () => void {
  const stop = new AbortController();
  for (const name of names) target.addEventListener(name, listen, { passive: true, signal: stop.signal });
  return () => stop.abort();
}
