/** The signal handling of a process, so that an interrupt leaves no temporary files. */
export type Interrupts = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;

/** The signals that ask a program to terminate; it may clean up first. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Delays signals until the returned function is called, which then passes on the first one. For short work that must
 * not stop halfway, such as taking a lock: if a signal came between creating its folder and recording that, the
 * folder would remain.
 */
export function holdSignals(interrupts: Interrupts, onSignal?: () => void): () => void {
  let first: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    first ??= signal;
    onSignal?.();
  };
  for (const signal of SIGNALS) interrupts.on(signal, hold);
  return () => {
    for (const signal of SIGNALS) interrupts.off(signal, hold);
    if (first !== null) interrupts.kill(interrupts.pid, first);
    first = null;
  };
}
