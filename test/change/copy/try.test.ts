import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildDraft } from '#change/plan/draft.js';
import { draftCopyTo, draftCopyWithout, draftEditedCopy, findCopier, readForCopy } from '#change/copy/copy-draft.js';
import { buildCopy, buildUuid } from '#change/copy/write-copy.js';
import { openSession } from '#context/open.js';
import { formatId } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';

let n = 0;
const newId = () => (n += 1).toString(16).padStart(8, '0');
const stamps = () => ({ sessionId: buildUuid(newId), timestamp: '2026-01-01T00:00:00.000Z', newId: () => buildUuid(newId) });
const list = (dir: string): string[] => readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.jsonl')).map((f) => path.join(dir, f));
const files = (process.env['TRY'] ?? '').split(':').flatMap(list);

describe.each(files)('%s', (file) => {
  it('copies', async () => {
    const session = await openSession(file);
    const copier = findCopier(session);
    if (!copier || session.agent?.isSubagent) return;
    const base = await readForCopy(session, copier);
    await buildCopy(base, copier, draftCopyTo(base, null), stamps());
  });
  it('drops and replaces', async () => {
    const session = await openSession(file);
    const copier = findCopier(session);
    if (!copier || session.agent?.isSubagent) return;
    const base = await readForCopy(session, copier);
    const path = activePath(base.tree);
    const entries: Record<string, unknown>[] = [];
    let parentId = formatId(base.tree.leaf?.id);
    const add = (body: object) => { const id = newId(); entries.push({ type: 'context_edit', id, parentId, timestamp: '2026-01-01T00:00:00.000Z', ...body }); parentId = id; };
    path.filter((h) => h.type === 'message').forEach((head, at) => {
      if (at % 7 === 3 && head.role === 'user') add({ targetId: formatId(head.id), replacement: null });
      else if (at % 5 === 2 && head.role === 'toolResult') add({ targetId: formatId(head.id), replacement: { content: [{ type: 'text', text: `[cut ${at}]` }] } });
    });
    const draft = buildDraft(base, entries);
    await buildCopy(base, copier, draftEditedCopy(draft), stamps());
  });
  it('undoes compactions', async () => {
    const session = await openSession(file);
    const copier = findCopier(session);
    if (!copier || session.agent?.isSubagent) return;
    const base = await readForCopy(session, copier);
    const last = activePath(base.tree).findLast(({ type }) => type === 'compaction');
    if (!last) return;
    await buildCopy(base, copier, draftCopyWithout(base, new Set([last.index])), stamps());
  });
  it('compacts', async () => {
    const session = await openSession(file);
    const copier = findCopier(session);
    if (!copier || session.agent?.isSubagent) return;
    const base = await readForCopy(session, copier);
    const all = activePath(base.tree);
    const heads = all.slice(all.findLastIndex(({ type }) => type === 'compaction') + 1).filter((h) => h.type === 'message' && h.role === 'user');
    for (const kept of [null, heads.at(-1), heads.at(Math.floor(heads.length / 2))]) {
      const id = newId();
      const entry = { type: 'compaction', id, parentId: formatId(base.tree.leaf?.id), timestamp: '2026-01-01T00:00:00.000Z', summary: 'It was so.', sentVerbatim: true, firstKeptEntryId: kept ? formatId(kept.id) : id, tokensBefore: 100 };
      const draft = buildDraft(base, [entry]);
      await buildCopy(base, copier, draftEditedCopy(draft), stamps());
    }
  });
});
