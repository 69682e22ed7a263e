import { assistant, compaction, lines, user } from './entries.js';
import { workingSession } from './working-session.js';

/** An agent at work, with a compaction and a turn after it: what there is to prune, to compact and to restore. */
export function compactedWork(): string {
  const work = workingSession({ seed: 3, turns: 10 });
  const ids = work
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; id: string; message?: { role: string } });
  const users = ids.filter(({ message }) => message?.role === 'user');
  const last = ids.at(-1)?.id ?? '';
  return work + lines(compaction('k1', last, users[3]?.id ?? ''), user('u9', 'k1'), assistant('a9', 'u9'));
}
