import type { Recovery } from './journal.js';

interface Circumstances {
  readonly recovered: Recovery;
  /** Processes that have the session open. */
  readonly watchers: readonly number[];
  /** How long ago somebody wrote to it, in milliseconds. */
  readonly age: number;
}

/** What the user should know of a write, in sentences. */
export function* notesOn({ recovered, watchers, age }: Circumstances): Generator<string> {
  if (recovered === 'undone') yield 'half of an earlier write that was killed was taken away';
  const why =
    watchers.length > 0
      ? `process ${watchers.join(', ')} has it open`
      : Math.abs(age) < RECENT_MILLISECONDS
        ? 'it was written to in the last five minutes'
        : null;
  if (why !== null) yield `Pi may have the session open (${why}); it sees what was appended when it opens it again`;
}

const RECENT_MILLISECONDS = 5 * 60_000;
