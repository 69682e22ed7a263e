/** The part of a process that handles signals, so that nothing is left behind when it is interrupted. */
export type Interrupts = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;

/** The signals that ask a program to end; it may do something first. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Lets signals wait until the function that it gives is called, which then passes on the first one. For work that is
 * short and must not stop halfway, such as taking a lock: between making its folder and knowing that it was made, there
 * is nothing to clean up by.
 */
export function holdSignals(interrupts: Interrupts): () => void {
  let first: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    first ??= signal;
  };
  for (const signal of SIGNALS) interrupts.on(signal, hold);
  return () => {
    for (const signal of SIGNALS) interrupts.off(signal, hold);
    if (first !== null) interrupts.kill(interrupts.pid, first);
    first = null;
  };
}
