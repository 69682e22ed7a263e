import { isObject, type JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { RESTORE_TYPE } from '#context/replay/ctx-entries.js';
import type { EditEntry } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildIdSource, type EntryStamps } from '../plan/entry-stamps.js';
import type { EntryBody } from '../plan/new-entries.js';
import { hideTransforms, isDualWritten } from '../plan/stock-view.js';
import { buildContentWithout } from './content-without.js';
import { listUndoneIds, type UndoSelection } from './undo-selection.js';

/** Candidate entries of stock Pi that may undo others. The caller checks whether they do. */
export function* buildStockUndos(
  session: Session,
  selection: UndoSelection,
  stamps: EntryStamps,
): Generator<readonly JsonObject[]> {
  const { path, places } = selection;
  const undone = places.flatMap((place) => path[place] ?? []);
  // Pi never saw a transform, except one that a compaction repeats.
  if (places.some((place) => path[place]?.type === 'context_transform' && !isDualWritten(session, path, place))) return;
  for (const replacementOf of [findRemainingReplacement, readOriginal]) {
    const chain = new UndoChain(session, stamps);
    if (undone.some(({ type }) => type === 'compaction')) addCompactionUndo(session, selection, chain);
    const targets = new Set(undone.flatMap(({ type, target }) => (type === 'context_edit' ? [target] : [])));
    for (const target of targets) {
      const head = session.tree.heads.find(target);
      if (head) chain.add('context_edit', { targetId: target, replacement: replacementOf(session, head, selection) });
    }
    for (const { type, id } of undone) {
      if (type === 'custom_message') chain.add('context_edit', { targetId: id, replacement: null });
    }
    // A `custom` entry begins the edits of a prune, or of a prune's restore. Such edits are undone as a batch.
    const isBatch = undone.some(({ type }) => type === 'custom');
    yield isBatch ? chain.asBatch(RESTORE_TYPE, { undone: listUndoneIds(selection) }) : chain.entries;
  }
}

/** Entries that follow one another from the leaf on. */
class UndoChain {
  readonly entries: JsonObject[] = [];
  private readonly nextId: () => string;
  private parentId: string | null;
  private readonly now: string;

  constructor(session: Session, { now, newId }: EntryStamps) {
    this.nextId = buildIdSource(session, newId);
    this.parentId = formatId(session.tree.leaf?.id);
    this.now = new Date(now()).toISOString();
  }

  add(type: string, fields: JsonObject, timestamp: unknown = this.now): string {
    const id = this.nextId();
    const body: EntryBody = { type, id, parentId: this.parentId, timestamp, ...fields };
    this.entries.push(body);
    this.parentId = id;
    return id;
  }

  /** The entries after a record that marks them as one batch. */
  asBatch(customType: string, data: JsonObject): readonly JsonObject[] {
    const [first] = this.entries;
    if (!first) return [];
    const id = this.nextId();
    const place = { id, parentId: first.parentId, timestamp: this.now };
    const record = { type: 'custom', customType, data: { entries: this.entries.length, ...data }, ...place };
    return [record, { ...first, parentId: id }, ...this.entries.slice(1)];
  }

  get timestamp(): number {
    return Date.parse(this.now);
  }
}

/**
 * Undoes the newest compaction, the only one of a path that counts, by repeating the one before. Without one, it writes
 * a compaction that keeps everything, and an edit that omits its summary.
 */
function addCompactionUndo(session: Session, selection: UndoSelection, chain: UndoChain): void {
  const { path, places, settled } = selection;
  const wanted = buildContentWithout(hideTransforms(session), selection);
  const systemMessage = buildSystemMessage(wanted, chain.timestamp);
  const undone = new Set([...places, ...settled]);
  const place = path.findLastIndex(({ type }, at) => type === 'compaction' && !undone.has(at));
  const before = path[place];
  if (!before) {
    const all = { summary: '', firstKeptEntryId: formatId(path[0]?.id), tokensBefore: 0, fromHook: true };
    hideCompaction(chain, chain.add('compaction', all), systemMessage);
    return;
  }
  // The usage is not repeated, since the summary was paid once.
  const { summary, tokensBefore, details, fromHook, timestamp } = session.entry(before);
  const firstKeptEntryId = findFirstKeptId(session, path, place);
  const again = { summary, firstKeptEntryId, tokensBefore, details, fromHook };
  const isHidden = findEditInForce(session, before, selection)?.replacement === null;
  // Providers receive the summary with the time of its entry, so the time is repeated.
  if (isHidden) hideCompaction(chain, chain.add('compaction', again, timestamp), systemMessage);
  else chain.add('compaction', { ...again, ...(systemMessage && { systemMessage }) }, timestamp);
}

/** Omits a compaction from the context, and with it the prompt that it holds. The entries that it keeps stay. */
function hideCompaction(chain: UndoChain, id: string, systemMessage: JsonObject | null): void {
  chain.add('context_edit', { targetId: id, replacement: null });
  if (systemMessage) chain.add('message', { message: systemMessage });
}

/** The id of the first entry that a compaction keeps, or of the entry after it if it keeps none. */
function findFirstKeptId(session: Session, path: readonly Head[], place: number): string | null {
  const target = session.tree.heads.targetAt(path[place]?.index ?? -1);
  const kept = path.findIndex(({ index }, at) => index === target && at < place);
  return formatId(path[kept === -1 ? place + 1 : kept]?.id);
}

/** Prompt and tools as one message that declares them all; null where there are none. */
function buildSystemMessage({ system, tools }: EnvelopeContent, timestamp: number): JsonObject | null {
  if (system.parts.length === 0 && tools.length === 0) return null;
  const sections = system.parts.filter(({ kind }) => kind !== 'content').map(({ name, text }) => [name, text] as const);
  return {
    role: 'system',
    content: system.parts.find(({ kind }) => kind === 'content')?.text ?? '',
    ...(sections.length > 0 ? { sections: Object.fromEntries(sections) } : {}),
    ...(tools.length > 0 ? { toolsAdded: tools } : {}),
    timestamp,
  };
}

/** The replacement of the newest edit that stays, or the content of the entry itself. */
function findRemainingReplacement(session: Session, target: Head, selection: UndoSelection): unknown {
  const edit = findEditInForce(session, target, selection);
  return edit ? edit.replacement : readOriginal(session, target);
}

/** The newest edit of an entry that stays. */
function findEditInForce(session: Session, target: Head, { path, places, settled }: UndoSelection): EditEntry | null {
  const undone = new Set([...places, ...settled]);
  const edit = path.findLast(
    ({ type, target: of }, at) => type === 'context_edit' && of === target.id && !undone.has(at),
  );
  const entry = edit ? session.entry(edit) : null;
  return entry?.type === 'context_edit' ? entry : null;
}

/** Pi leaves messages without editable content unchanged, unless the edit's replacement is null. */
function readOriginal(session: Session, target: Head): unknown {
  const entry = session.entry(target);
  const holder = isObject(entry.message) ? entry.message : entry;
  return { content: holder.content ?? [] };
}
