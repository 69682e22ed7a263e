import { quoteId } from '#session/heads/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWER, HEADER, QUESTION } from '../example.js';

export default defineRule({
  name: 'late-parent',
  severity: 'warning',
  isOnlyForPi: true,
  summary: 'The parent of an entry is later in the file',
  help:
    'Pi appends an entry after its parent, so the lines were sorted or moved. Pi continues from the last line: if ' +
    'that is not the newest entry, the model sees another path, often only the beginning. `ctx repair` does not move ' +
    'lines: the last one decides which branch is active, and the file no longer shows which one was last. Restore ' +
    'their order by hand. A parent whose id is repeated is reported by `duplicate-id`.',
  example: { fires: [HEADER, ANSWER, QUESTION], silent: [HEADER, QUESTION, ANSWER] },
  looksAt: 'session',
  *find({ tree: { heads }, problems }): Generator<Hit> {
    // A cycle has such a parent too, but another cause.
    if (heads.areParentsAbove() || problems.some(({ code }) => code === 'cycle')) return;
    const repeated = new Set<number>();
    const late: number[] = [];
    for (let index = 0; index < heads.length; index += 1) {
      const parent = heads.parentAt(index);
      const resolved = heads.entryOfIdAt(index);
      if (resolved !== index) repeated.add(resolved);
      if (parent > index) late.push(index);
    }
    const [first, ...others] = late.filter((index) => !repeated.has(heads.parentAt(index)));
    const head = first === undefined ? undefined : heads.at(first);
    if (!head) return;
    const rest =
      others.length === 1 ? 'the parent of 1 other entry is' : `the parents of ${others.length} other entries are`;
    const message = `its parent ${quoteId(head.parentId)} is later in the file${others.length === 0 ? '' : `; ${rest} later too`}`;
    yield { message, at: head, related: [head.parentId] };
  },
});
