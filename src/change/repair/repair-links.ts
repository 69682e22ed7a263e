import { isObject, parseJson } from '#base/json.js';
import { type Head, quoteId, type RawId } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import type { Scan } from '#session/scan/scan.js';
import { listTreeProblems } from '#session/tree/problems.js';
import { buildTree } from '#session/tree/tree.js';
import { type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { utf8Decoder } from '../bytes/flaws.js';
import { changeMembers, type MemberChanges } from '../bytes/member-edits.js';
import { StableIds } from '../plan/stable-ids.js';
import { NO_PARENT, relink, type RepairedLinks } from './relink.js';

/**
 * Gives every entry an id of its own and a way to a root. Of version 1 nothing is changed: Pi gives its entries new
 * ids and parents when it opens it.
 */
export function repairLinks(source: ByteSource, file: string, lostParents: ReadonlyMap<RawId, unknown>): EditedFile {
  const scanned = scanSession(source, file);
  const { header, heads } = scanned;
  const editing = new FileEditor(source);
  if (header.version < 2) return editing.end();
  const byIndex = header.version < 3 ? keptByIndex(scanned, source) : new Map<number, number>();
  if (byIndex.size === 0 && !needsLinks(scanned)) return editing.end();
  const known = { sessionId: header.id, lostParents, missingIds: missingIds(scanned, lostParents) };
  const links = relink(heads, known);
  const kept = new Map([...byIndex, ...keptBehindMissing(heads, links)]);
  const linking: Linking = { heads, links, kept, ids: newIds(heads, known) };
  for (const head of heads) {
    const { changes, notes } = changesOf(head, linking);
    if (notes.length === 0) continue;
    for (const { code, message } of notes) editing.note(code, head, message);
    changeMembers(editing, { source, at: head, changes });
  }
  return editing.end();
}

const LINK_PROBLEMS: ReadonlySet<string> = new Set(['no-id', 'duplicate-id', 'orphan', 'cycle']);

function needsLinks({ heads, header, problems }: Scan): boolean {
  return [problems, listTreeProblems(buildTree(heads), header.id)].some((found) =>
    found.some(({ code }) => LINK_PROBLEMS.has(code)),
  );
}

/** An entry without an id that the next one in the file calls its parent: that is the id it had. */
function missingIds({ heads, header }: Scan, lostParents: ReadonlyMap<RawId, unknown>): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const used = new Set<string>();
  for (const { id, index } of heads) {
    const named = id ? undefined : heads.at(index + 1)?.parentId;
    if (typeof named !== 'string' || named === '' || named === header.id || used.has(named)) continue;
    if (heads.has(named) || lostParents.has(named)) continue;
    used.add(named);
    ids.set(index, named);
  }
  return ids;
}

/** Ids for entries that have none, or the id of an entry above them; the same ones every time. */
function newIds(
  heads: Heads,
  known: { readonly sessionId: string; readonly missingIds: ReadonlyMap<number, string> },
): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const used = new Set<RawId>(known.missingIds.values());
  const fresh = new StableIds(heads, known.sessionId);
  for (const { id, index, line } of heads) {
    if (id && !used.has(id)) used.add(id);
    else ids.set(index, known.missingIds.get(index) ?? fresh.next(line));
  }
  return ids;
}

interface Linking {
  readonly heads: Heads;
  readonly links: RepairedLinks;
  readonly ids: ReadonlyMap<number, string>;
  /** First kept ids of compactions that name no entry of the file. */
  readonly kept: ReadonlyMap<number, number>;
}

interface Note {
  readonly code: string;
  readonly message: string;
}

function changesOf(head: Head, linking: Linking): { readonly changes: MemberChanges; readonly notes: readonly Note[] } {
  const changes: Record<string, RawId> = {};
  const notes: Note[] = [];
  const id = linking.ids.get(head.index);
  if (id !== undefined) {
    changes['id'] = id;
    const was = head.id ? `${JSON.stringify(id)}, because another entry has ${quoteId(head.id)}` : null;
    notes.push({
      code: head.id ? 'duplicate-id' : 'no-id',
      message: `new id ${was ?? JSON.stringify(id)}`,
    });
  }
  const parent = newParent(head, linking);
  if (parent) {
    changes['parentId'] = parent.id;
    notes.push(parent.note);
  }
  const target = newTarget(head, linking);
  if (target) {
    changes[head.type === 'compaction' ? 'firstKeptEntryId' : 'targetId'] = target.id;
    notes.push(target.note);
  }
  return { changes, notes };
}

interface NewLink {
  readonly id: RawId;
  readonly note: Note;
}

function newParent(head: Head, { heads, links, ids }: Linking): NewLink | null {
  const { parents, reasons, viaLost } = links;
  const parent = parents[head.index] ?? NO_PARENT;
  const reason = reasons.get(head.index);
  const id = parent === NO_PARENT ? null : (ids.get(parent) ?? heads.at(parent)?.id);
  const now = parent === NO_PARENT ? 'now a root' : `now follows ${quoteId(id)}`;
  const isBefore = parent === head.index - 1;
  const before =
    parent === NO_PARENT ? '' : `, the entry before ${isBefore ? 'it' : "its parent's first child"} in the file`;
  const named = quoteId(head.parentId);
  if (reason === 'cycle')
    return { id, note: { code: 'cycle', message: `${now}${before}: its parent ${named} was a descendant` } };
  if (reason === 'orphan')
    return { id, note: { code: 'orphan', message: `${now}${before}: its parent ${named} does not exist` } };
  if (reason === 'no-parent') return { id, note: { code: 'no-id', message: `${now}${before}: it had no parent` } };
  if (viaLost.has(head.index))
    return { id, note: { code: 'orphan', message: `${now}, which preceded its lost parent ${named}` } };
  if (!ids.has(parent) || id === head.parentId) return null;
  return { id, note: { code: 'duplicate-id', message: `${now}, the earlier entry with the id ${named}` } };
}

function newTarget(head: Head, { heads, links, ids, kept }: Linking): NewLink | null {
  const byIndex = kept.get(head.index);
  if (byIndex !== undefined) {
    const id = ids.get(byIndex) ?? heads.at(byIndex)?.id;
    return { id, note: { code: 'dangling-compaction', message: `now keeps from ${quoteId(id)}` } };
  }
  const id = ids.get(links.targets.get(head.index) ?? NO_PARENT);
  if (id === undefined || id === head.target) return null;
  const message = `now targets ${quoteId(id)}, the earlier entry with the id ${quoteId(head.target)}`;
  return { id, note: { code: 'duplicate-id', message } };
}

/**
 * The entries that compactions of version 2 keep from, where they say it as version 1 did, by a number that counts the
 * header and all entries from 0: an old Pi has gone on with the file of a newer one. By the index of the compaction.
 */
function keptByIndex({ heads }: Scan, source: ByteSource): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  for (const { index, target, offset, length } of heads.ofType('compaction')) {
    if (target !== undefined) continue;
    const entry = parseJson(utf8Decoder.decode(source.read(offset, offset + length)));
    const place = isObject(entry) ? entry['firstKeptEntryIndex'] : undefined;
    if (Number.isInteger(place) && Number(place) > 0 && Number(place) <= index) kept.set(index, Number(place) - 1);
  }
  return kept;
}

/**
 * New first kept entries for compactions whose own is not in the file any more, nor what it said: what followed it
 * on the path. By the index of the compaction.
 */
function keptBehindMissing(heads: Heads, { parents, reasons, viaLost }: RepairedLinks): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  const missing = new Set([...reasons.keys(), ...viaLost].map((index) => heads.at(index)?.parentId));
  for (const { index, target } of heads.ofType('compaction')) {
    if (!target || heads.has(target) || !missing.has(target)) continue;
    let at = parents[index] ?? -1;
    while (at !== -1 && heads.at(at)?.parentId !== target) at = parents[at] ?? -1;
    if (at !== -1) kept.set(index, at);
  }
  return kept;
}
