import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';
import { headOf } from '#session/table/head.js';
import { Heads } from '#session/table/heads.js';
import { treeOf } from '#session/tree/tree.js';

/** A session as it will be with entries appended: what reading the longer file would give, without the file. */
export function extended(session: Session, entries: readonly JsonObject[]): Session {
  const { heads } = session.tree;
  const first = heads.length;
  const all = Heads.from(heads);
  let line = session.scan.isWhole ? heads.length + 1 : 1;
  if (first > 0) line = Math.max(line, heads.lineAt(first - 1));
  for (const entry of entries) {
    line += 1;
    all.push(headOf(entry, { line, offset: session.source.size, length: 0 }));
  }
  return {
    ...session,
    tree: treeOf(all),
    entry: (head) => (head.index < first ? session.entry(head) : (entries[head.index - first] ?? {})),
  };
}
