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
 * Gives every entry an id of its own and a path to a root. A file of version 1 stays unchanged: Pi gives its entries ids
 * and parents when it opens it.
 */
export function repairLinks(
  source: ByteSource,
  file: string,
  discardedParents: ReadonlyMap<RawId, unknown>,
): EditedFile {
  const scanned = scanSession(source, file);
  const { header, heads } = scanned;
  const editor = new FileEditor(source);
  if (header.version < 2) return editor.finish();
  const byIndex = header.version < 3 ? findKeptByIndex(scanned, source) : new Map<number, number>();
  if (byIndex.size === 0 && !needsLinks(scanned)) return editor.finish();
  const hints = { sessionId: header.id, discardedParents, missingIds: findMissingIds(scanned, discardedParents) };
  const links = relink(heads, hints);
  const kept = new Map([...byIndex, ...findKeptAfterMissing(heads, links)]);
  const linking: Relinking = { heads, links, kept, ids: assignIds(heads, hints) };
  for (const head of heads) {
    const { changes, notes } = listLinkChanges(head, linking);
    if (notes.length === 0) continue;
    for (const { code, message } of notes) editor.note(code, head, message);
    changeMembers(editor, { source, at: head, changes });
  }
  return editor.finish();
}

const LINK_PROBLEMS: ReadonlySet<string> = new Set(['no-id', 'duplicate-id', 'orphan', 'cycle']);

function needsLinks({ heads, header, problems }: Scan): boolean {
  return [problems, listTreeProblems(buildTree(heads), header.id)].some((found) =>
    found.some(({ code }) => LINK_PROBLEMS.has(code)),
  );
}

/** The ids of entries without one, as the next entry in the file names its parent. */
function findMissingIds(
  { heads, header }: Scan,
  discardedParents: ReadonlyMap<RawId, unknown>,
): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const used = new Set<string>();
  for (const { id, index } of heads) {
    const parentId = id ? undefined : heads.at(index + 1)?.parentId;
    if (typeof parentId !== 'string' || parentId === '' || parentId === header.id || used.has(parentId)) continue;
    if (heads.has(parentId) || discardedParents.has(parentId)) continue;
    used.add(parentId);
    ids.set(index, parentId);
  }
  return ids;
}

/** Ids for entries without one and for those with the id of an earlier entry; the same ones every time. */
function assignIds(
  heads: Heads,
  hints: { readonly sessionId: string; readonly missingIds: ReadonlyMap<number, string> },
): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  const used = new Set<RawId>(hints.missingIds.values());
  const fresh = new StableIds(heads, hints.sessionId);
  for (const { id, index, line } of heads) {
    if (id && !used.has(id)) used.add(id);
    else ids.set(index, hints.missingIds.get(index) ?? fresh.next(line));
  }
  return ids;
}

interface Relinking {
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

function listLinkChanges(
  head: Head,
  linking: Relinking,
): { readonly changes: MemberChanges; readonly notes: readonly Note[] } {
  const changes: Record<string, RawId> = {};
  const notes: Note[] = [];
  const id = linking.ids.get(head.index);
  if (id !== undefined) {
    changes.id = id;
    const message = `new id ${JSON.stringify(id)}`;
    if (head.id)
      notes.push({ code: 'duplicate-id', message: `${message}, because another entry has ${quoteId(head.id)}` });
    else notes.push({ code: 'no-id', message });
  }
  const parent = findNewParent(head, linking);
  if (parent) {
    changes.parentId = parent.id;
    notes.push(parent.note);
  }
  const target = findNewTarget(head, linking);
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

function findNewParent(head: Head, { heads, links, ids }: Relinking): NewLink | null {
  const { parents, reasons, viaMissing } = links;
  const parent = parents[head.index] ?? NO_PARENT;
  const isRoot = parent === NO_PARENT;
  const id = isRoot ? null : (ids.get(parent) ?? heads.at(parent)?.id);
  const outcome = isRoot ? 'now a root' : `now follows ${quoteId(id)}`;
  const entryBefore = parent === head.index - 1 ? 'the entry before it' : "the entry before its parent's first child";
  const place = isRoot ? '' : `, ${entryBefore} in the file`;
  const oldParent = quoteId(head.parentId);
  const link = (code: string, message: string): NewLink => ({ id, note: { code, message } });
  switch (reasons.get(head.index)) {
    case 'cycle':
      return link('cycle', `${outcome}${place}: its parent ${oldParent} was a descendant`);
    case 'orphan':
      return link('orphan', `${outcome}${place}: its parent ${oldParent} does not exist`);
    case 'no-parent':
      return link('no-id', `${outcome}${place}: it had no parent`);
    case undefined:
      if (viaMissing.has(head.index)) return link('orphan', `${outcome}, which preceded its lost parent ${oldParent}`);
      if (!ids.has(parent) || id === head.parentId) return null;
      return link('duplicate-id', `${outcome}, the earlier entry with the id ${oldParent}`);
  }
}

function findNewTarget(head: Head, { heads, links, ids, kept }: Relinking): NewLink | null {
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
 * The first kept entries of version 2 compactions that name it as version 1 did, by the index of the compaction. The
 * number counts the header and all entries from 0. An old Pi has continued the file of a newer one.
 */
function findKeptByIndex({ heads }: Scan, source: ByteSource): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  for (const { index, target, offset, length } of heads.ofType('compaction')) {
    if (target !== undefined) continue;
    const entry = parseJson(utf8Decoder.decode(source.read(offset, offset + length)));
    const place = isObject(entry) ? entry.firstKeptEntryIndex : undefined;
    if (Number.isInteger(place) && Number(place) > 0 && Number(place) <= index) kept.set(index, Number(place) - 1);
  }
  return kept;
}

/**
 * New first kept entries for compactions whose own is missing from the file, by the index of the compaction. The entry
 * that followed it on the path takes over.
 */
function findKeptAfterMissing(
  heads: Heads,
  { parents, reasons, viaMissing }: RepairedLinks,
): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  const missing = new Set([...reasons.keys(), ...viaMissing].map((index) => heads.at(index)?.parentId));
  for (const { index, target } of heads.ofType('compaction')) {
    if (!target || heads.has(target) || !missing.has(target)) continue;
    let at = parents[index] ?? -1;
    while (at !== -1 && heads.at(at)?.parentId !== target) at = parents[at] ?? -1;
    if (at !== -1) kept.set(index, at);
  }
  return kept;
}
