import { formatIndentedJson } from '#base/json-text.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { formatModel } from '#context/models/model-name.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import { EDITABLE_ROLES, readEntryMessage } from '#context/replay/convert.js';
import { CONTEXT_CHANGE_TYPES, onlyAddsMessage } from '#context/replay/selection.js';
import { readRecordedRequest } from '#context/size/size-step.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import type { WalkOptions } from '#context/walk.js';
import { describeEntry, entryName } from '#context/words/entry-text.js';
import { findSessionTitle, formatCall } from '#context/words/message-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import { buildHeadKey, formatId, type Head } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { forestOf } from '#session/tree/forest.js';
import { outlineOf, type OutlineRow } from '#session/tree/outline.js';
import { type Tree } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import { detectImageType, isBase64 } from '../check/provider/image-data.js';
import { drawBlock } from '../reading/draw-blocks.js';
import type { DrawnBlock } from '../reading/model.js';
import { buildEntryBlocks } from '../reading/reading-blocks.js';
import { collectFormChanges, type FormChange, isEditedForm } from '../search/context-changes.js';
import { countSession } from '../stats/count-session.js';
import type { SessionStats } from '../stats/session-stats.js';
import { addContents, buildEmptyBreakdown, readEntryContents } from '../stats/token-breakdown.js';
import { copyText, limitText } from './blocks.js';
import type { ConversationData, DrawnEntry, EntryColumns, ReportMessage } from './document.js';
import { buildReportMessage, type MessagePool, type NewMessage } from './message-pool.js';
import type { RequestSource } from './request-source.js';

type Keepers = Pick<RequestSource, 'pool' | 'words' | 'models' | 'counted' | 'mostOf'>;

type OfHeads = 'ids' | 'lines' | 'times' | 'sizes' | 'order' | 'forks';

/** Columns that heads and their tree are enough for are made as they are written. */
export type StreamedEntries = Omit<EntryColumns, OfHeads> & {
  readonly [Name in OfHeads]: Iterable<EntryColumns[Name][number]>;
};

type Lists = {
  -readonly [Name in 'names' | 'tokens' | 'messages' | 'others']: EntryColumns[Name][number][];
};

interface ReadEntries {
  readonly stats: SessionStats;
  readonly entries: Omit<StreamedEntries, 'path'>;
}

/** Counts a session, and reads its entries into columns. Parses each entry once, and adds its message to the pool, its model to `models`, its count to `counted`. */
export function readEntries(session: Countable, baseline: Baseline, keepers: Keepers): ReadEntries {
  const columns: Lists = { names: [], tokens: [], messages: [], others: [] };
  const stats = countSession(session, {
    method: BY_CHARACTERS,
    baseline,
    title: findSessionTitle(session),
    priceList: buildPriceList(),
    onEntry: (head, entry) => add(columns, head, entry, keepers),
  });
  return { stats, entries: allColumns(session, columns) };
}

type Countable = Parameters<typeof countSession>[0];

function allColumns(session: Session, { names, ...others }: Lists): ReadEntries['entries'] {
  const { agent, tree } = session;
  return {
    ids: columnOf(tree.heads, ({ id }) => formatId(id)),
    lines: columnOf(tree.heads, ({ line }) => line),
    names,
    times: columnOf(tree.heads, ({ time }) => (Number.isNaN(time) ? null : time)),
    sizes: columnOf(tree.heads, ({ length }) => (agent ? null : length)),
    ...others,
    labels: labelsByEntry(session),
    order: columnOf(wholeOutline(tree), ({ index }) => index),
    forks: columnOf(wholeOutline(tree), ({ forks }) => forks),
  };
}

function columnOf<Item, Value>(items: Iterable<Item>, valueOf: (item: Item) => Value): Iterable<Value> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield valueOf(item);
    },
  };
}

function wholeOutline(tree: Tree): Iterable<OutlineRow> {
  const options = { isVisible: () => true, from: null, depth: Infinity };
  return { [Symbol.iterator]: () => outlineOf(forestOf(tree), options)[Symbol.iterator]() };
}

function add(columns: Lists, head: Head, entry: JsonObject, keepers: Keepers): void {
  const { pool, words, models, counted, mostOf } = keepers;
  const contents = readEntryContents(entry);
  const most = mostOf(head.length);
  const name = entryName(head);
  if (answersRequest(head)) {
    const model = modelIn(isObject(entry['message']) ? entry['message'] : {});
    models[head.index] = words.numberOf(model, () => model);
  }
  columns.names.push(words.numberOf(name, () => name));
  const besides = contents ? addContents(buildEmptyBreakdown(), { ...contents, message: null }, BY_CHARACTERS) : 0;
  if (contents?.message) {
    const { message, textIs } = contents;
    counted[head.index] = readRecordedRequest(message)?.prompt ?? 0;
    const number = pool.addStored({ entry: head.index, origin: originOf(head), message, textIs, most });
    columns.messages.push(number);
    columns.tokens.push(besides + (pool.tokens[number] ?? 0));
    return;
  }
  columns.tokens.push(besides);
  columns.messages.push(-1);
  columns.others.push([head.index, copyText(describeEntry(entry)), limitText(formatIndentedJson(entry), most)]);
}

function originOf({ type }: Head): NewMessage['origin'] {
  return type === 'compaction' ? 'compaction' : 'entry';
}

type Stored = Pick<MessagePool, 'tokens' | 'changed'> & Pick<RequestSource, 'session' | 'stored' | 'mostOf'>;

/**
 * The messages of a pool. Those that entries store are read when they are written, so that only one is in memory, and
 * the rest of the pool is released before.
 */
export function listReportMessages(source: Stored): Iterable<ReportMessage> {
  return { [Symbol.iterator]: () => messagesOneByOne(source) };
}

function* messagesOneByOne({ session, stored, mostOf, tokens, changed }: Stored): Generator<ReportMessage> {
  const calls = new CallFinder(session);
  const cwd = session.header.cwd ?? '';
  for (const head of session.tree.heads) {
    const number = stored[head.index] ?? -1;
    const entry = number === -1 ? {} : session.entry(head);
    const contents = readEntryContents(entry);
    if (!contents?.message) continue;
    const { message, textIs } = contents;
    const answered = calls.of(head, entry);
    const from = { entry: head.index, origin: originOf(head), call: answered && formatCall(answered, cwd), cwd };
    yield buildReportMessage({ ...from, message, textIs, most: mostOf(head.length) }, tokens[number] ?? 0);
  }
  yield* changed;
}

function modelIn({ provider, model }: JsonObject): string {
  return formatModel({ provider: asString(provider) ?? undefined, modelId: asString(model) ?? undefined });
}

function labelsByEntry(session: Session): EntryColumns['labels'] {
  const { heads } = session.tree;
  return [...labelsOf(session)].flatMap(([id, label]) => {
    // A label's target is an id or nothing.
    const head = heads.find(id as Head['id']);
    return head ? [[head.index, label] as const] : [];
  });
}

interface Conversation extends Pick<RequestSource, 'session' | 'path' | 'readPatch' | 'baseline' | 'mostOf'> {
  readonly hasImages: boolean;
}

/** The turns of a path, and the entries that its context omits or changes. */
export function buildConversation({ session, path, readPatch, baseline }: Conversation): ConversationData {
  const fates = fatesAlong(session, path, { readPatch, baseline, lenient: true });
  return {
    turns: path.flatMap((head, at) => (startsTurn(head) ? [at] : [])),
    fates: fates.map(({ entry, isChanged, by }) => [entry.index, isChanged ? 'changed' : 'omitted', by.index]),
  };
}

/** The entries of a path as the page draws them. Each is read when it is written, so that only one is in memory. */
export function drawEntries(conversation: Conversation): Iterable<DrawnEntry | null> {
  return { [Symbol.iterator]: () => drawnOneByOne(conversation) };
}

function* drawnOneByOne({ session, path, mostOf, hasImages }: Conversation): Generator<DrawnEntry | null> {
  const calls = new CallFinder(session);
  const cwd = session.header.cwd ?? '';
  for (const head of path) {
    const entry = session.entry(head);
    const blocks = buildEntryBlocks(entry, { call: calls.of(head, entry) ?? undefined, cwd });
    const most = mostOf(head.length);
    const answers = asString(readEntryMessage(entry)?.['toolCallId']);
    const drawn = blocks?.map((block) => withImage(drawBlock(block, most), hasImages ? most : 0));
    yield drawn ? { blocks: drawn, ...(answers !== null && { answers }) } : null;
  }
}

/** The formats of images that a page shows. They cannot contain a script or a link, as SVG can. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image keeps its data if it has one of these formats, and at most `most` characters. */
function withImage(block: DrawnBlock, most: number): DrawnBlock {
  if (block.kind !== 'image') return block;
  const { data = '', ...others } = block;
  const isShown =
    data.length <= most && IMAGES.has(block.type) && detectImageType(data) === block.type && isBase64(data);
  return isShown ? block : others;
}

/** An entry whose message is not in the context at the end of a path as it is stored. */
interface Fate {
  readonly entry: Head;
  /** Whether the context has a replacement of its content. */
  readonly isChanged: boolean;
  /** The compaction, transform or edit that last changed or removed it. */
  readonly by: Head;
}

/** The entries of a path that the context at its end omits or changes, in the order of the path. */
function fatesAlong(session: Session, path: readonly Head[], options: WalkOptions): readonly Fate[] {
  const { byEntry } = collectFormChanges(session, path, options);
  return path.flatMap((entry) => {
    const last = (byEntry.get(buildHeadKey(entry)) ?? []).findLast((change) => hasEffect(change, entry));
    return last && last.form !== 'stored' ? [{ entry, isChanged: isEditedForm(last.form), by: last.by }] : [];
  });
}

/** An edit may name any entry, but omits only messages, and replaces the content of some. */
function hasEffect({ by, form }: FormChange, on: Head): boolean {
  if (isEditedForm(form)) return EDITABLE_ROLES.has(on.type === 'custom_message' ? 'custom' : on.role);
  return onlyAddsMessage(on) || (by.type !== 'context_edit' && CONTEXT_CHANGE_TYPES.has(on.type));
}
