import type { NewHead } from '#session/heads/head.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, user } from '../example.js';

const { version: _version, ...WITHOUT_VERSION } = HEADER;

const BRANCH = user('u2', 'u1', 'Which files are in here?');

export default defineRule({
  name: 'ids-without-version',
  severity: 'error',
  summary: 'The header has no version, so Pi would lose the tree of the entries',
  help:
    'Without a `version`, Pi treats the file as version 1: it gives every entry a new id, links each to the line ' +
    'before it, and rewrites the file. Branches become one long path, and labels, edits and compactions no longer ' +
    'find their entries. Write `"version": 3` into the header before Pi opens the file.',
  example: {
    fires: [WITHOUT_VERSION, ...ANSWERED, BRANCH],
    silent: [HEADER, ...ANSWERED, BRANCH],
  },
  looksAt: 'session',
  *find({ header: { version }, scan }): Generator<Hit> {
    if (!(version < 2)) return;
    let before: NewHead | null = null;
    for (const head of scan.heads) {
      if (isLost(head, before)) {
        const message = 'the entries are linked by ids as in version 3, but the header has no version with ids';
        yield { message, at: scan.headerSpan, place: 'version', related: [head.id] };
        return;
      }
      before = head;
    }
  },
});

/** Whether the parent of an entry is not the line before it, or the entry names another one by its id. */
function isLost({ id, parentId, target }: NewHead, before: NewHead | null): boolean {
  if (typeof id !== 'string') return false;
  if (typeof target === 'string') return true;
  return typeof parentId === 'string' && parentId !== before?.id;
}
