import { cut } from '#analysis/facts/text.js';
import {
  attemptOf,
  commandOf,
  errorIn,
  fileOf,
  isWorthSaying,
  LONGEST_COMMAND,
  type ToolUse,
} from '#analysis/facts/tool-uses.js';

/** Something that went wrong, and what was done before the same thing went well. */
export interface Failure {
  readonly text: string;
  readonly isMended: boolean;
  /** Where the call stands among the messages. */
  readonly at: number;
}

/**
 * What failed: one line for each command, and for each tool and file, with its last error. It is mended if
 * the same went well later; the files that were changed in between are named.
 */
export function failuresIn(uses: readonly ToolUse[]): readonly Failure[] {
  const failures = new Map<string, Failure & { readonly since: number }>();
  const changes: Change[] = [];
  for (const [at, use] of uses.entries()) {
    const key = attemptOf(use);
    const error = errorIn(use);
    const known = failures.get(key);
    if (error !== null) {
      failures.delete(key);
      failures.set(key, { text: `${key} failed: ${cut(error, LONGEST)}`, isMended: false, at: use.callAt, since: at });
    } else if (known && !known.isMended && use.resultAt !== -1) {
      const changed = changedSince(changes, known.since);
      const how = changed.length === 0 ? 'went well later' : `went well after changes of ${changed.join(', ')}`;
      failures.set(key, { ...known, text: `${known.text}; ${how}`, isMended: true });
    }
    const path = changedBy(use);
    if (path !== null) changes.push({ at, path });
  }
  return [...failures.values()].map(({ text, isMended, at }) => ({ text, isMended, at }));
}

interface Change {
  readonly at: number;
  readonly path: string;
}

/** The files of the last changes, a few at most, in the order of the changes. */
function changedSince(changes: readonly Change[], since: number): readonly string[] {
  const paths = new Set<string>();
  for (let last = changes.length - 1; last >= 0 && paths.size < MOST_CHANGES; last -= 1) {
    const change = changes[last];
    if (!change || change.at <= since) break;
    paths.add(change.path);
  }
  return [...paths].toReversed();
}

const MOST_CHANGES = 6;
const LONGEST = 300;

function changedBy(use: ToolUse): string | null {
  const file = fileOf(use);
  return file?.kind === 'modified' && !use.isError ? file.path : null;
}

/** The commands that went well the last time, of those that test, build or publish something. */
export function runsIn(uses: readonly ToolUse[]): readonly string[] {
  const runs = new Map<string, boolean>();
  for (const use of uses) {
    const command = commandOf(use);
    if (command === null || !isWorthSaying(command)) continue;
    runs.delete(command);
    runs.set(command, !use.isError && use.resultAt !== -1);
  }
  return [...runs].flatMap(([command, isGood]) => (isGood ? `Ran \`${cut(command, LONGEST_COMMAND)}\`` : []));
}
