/** The signal handling of a process, so that an interrupt leaves no temporary files. */
export type Interrupts = Pick<NodeJS.Process, 'on' | 'off' | 'kill' | 'pid'>;

/** The signals that ask a program to terminate; it may clean up first. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Delays signals until the returned function is called, which passes on the first of them: for work that must be whole.
 * `onFirst` and `onSecond` are called when a signal comes meanwhile.
 */
export function holdSignals(
  interrupts: Interrupts,
  { onFirst, onSecond }: { readonly onFirst?: () => void; readonly onSecond?: () => void } = {},
): (how?: 'pass' | 'drop') => void {
  let first: NodeJS.Signals | null = null;
  const hold = (signal: NodeJS.Signals): void => {
    const isFirst = first === null;
    first ??= signal;
    if (isFirst) onFirst?.();
    else onSecond?.();
  };
  for (const signal of SIGNALS) interrupts.on(signal, hold);
  return (how = 'pass') => {
    for (const signal of SIGNALS) interrupts.off(signal, hold);
    if (first !== null && how === 'pass') interrupts.kill(interrupts.pid, first);
    first = null;
  };
}

/** The processes that run one command, and the end of the hold after its file was written; null while there is none. */
const commands = new WeakMap<Interrupts, ((how: 'pass' | 'drop') => void) | null>();

/**
 * Tells that a process runs one command, which then ends as usual when a signal comes after its file is whole. The
 * process of an agent or of a program with the library is never told, since its signals are its own. The returned
 * function ends that; a signal that came meanwhile asked for no more.
 */
export function beginCommand(interrupts: Interrupts): () => void {
  commands.set(interrupts, null);
  return () => {
    commands.get(interrupts)?.('drop');
    commands.delete(interrupts);
  };
}

/**
 * Holds back the first signal until the command ends, or begins another file: a command with one file then ends as
 * usual, with its report, and one with thousands ends after the present one. A second signal ends the process.
 */
export function finishBeforeSignals(interrupts: Interrupts): void {
  if (commands.get(interrupts) !== null) return;
  commands.set(interrupts, holdSignals(interrupts, { onSecond: () => passSignals(interrupts) }));
}

/** Ends the hold, and passes on a signal that came meanwhile, before the command begins another file. */
export function passSignals(interrupts: Interrupts): void {
  const end = commands.get(interrupts);
  if (!end) return;
  commands.set(interrupts, null);
  end('pass');
}
