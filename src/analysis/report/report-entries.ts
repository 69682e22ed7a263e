import { formatIndentedJson } from '#base/json-text.js';
import { asString, type JsonObject } from '#base/json.js';
import { formatModel } from '#context/models/model-name.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import { readRecordedRequest } from '#context/size/recorded-request.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { describeEntry, nameEntry } from '#context/words/entry-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { type Entry, messageOf } from '#session/entry.js';
import { formatId, type Head } from '#session/heads/head.js';
import { labelsOf, type Session } from '#session/session.js';
import { forestOf } from '#session/tree/forest.js';
import { outlineOf, type OutlineRow } from '#session/tree/outline.js';
import type { Tree } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { countSession } from '../stats/count-session.js';
import type { StatsDocument } from '../stats/document.js';
import { readEntryContents } from '../stats/entry-contents.js';
import { statsReport } from '../stats/stats-report.js';
import { addContents, buildEmptyBreakdown } from '../stats/token-breakdown.js';
import type { EntryColumns } from './document.js';
import { originOf } from './report-message.js';
import type { RequestSource } from './request-source.js';
import { copyText, limitText } from './stored-text.js';

type Keepers = Pick<RequestSource, 'pool' | 'words' | 'findLimit'>;

/** The numbers of each assistant entry. */
type Answers = Pick<RequestSource, 'models' | 'counted'>;

type OfHeads = 'ids' | 'lines' | 'times' | 'sizes' | 'order' | 'forks';

/** Columns that heads and their tree are enough for are made as they are written. */
export type StreamedEntries = Omit<EntryColumns, OfHeads> & {
  readonly [Name in OfHeads]: Iterable<EntryColumns[Name][number]>;
};

type Lists = {
  -readonly [Name in 'names' | 'tokens' | 'messages' | 'others']: EntryColumns[Name][number][];
};

interface ReadEntries extends Answers {
  readonly stats: StatsDocument;
  readonly entries: Omit<StreamedEntries, 'path'>;
}

/**
 * Counts a session, and reads its entries into columns. Parses each entry once, and adds its message to the pool, and
 * the names of entries and models to the words.
 */
export function readEntries(session: Countable, baseline: Baseline, keepers: Keepers): ReadEntries {
  const columns: Lists = { names: [], tokens: [], messages: [], others: [] };
  const { length } = session.tree.heads;
  const answers: Answers = { models: new Int32Array(length), counted: new Float64Array(length) };
  const counts = countSession(session, {
    method: BY_CHARACTERS,
    baseline,
    title: findSessionTitle(session),
    priceList: buildPriceList(),
    onEntry: (head, entry) => addEntry(columns, answers, { head, entry, name: nameEntry(head, session) }, keepers),
  });
  return { ...answers, stats: statsReport([counts], [], undefined), entries: buildColumns(session, columns) };
}

type Countable = Parameters<typeof countSession>[0];

function buildColumns(session: Session, { names, ...others }: Lists): ReadEntries['entries'] {
  const { agent, tree } = session;
  return {
    ids: buildColumn(tree.heads, ({ id }) => formatId(id)),
    lines: buildColumn(tree.heads, ({ line }) => line),
    names,
    times: buildColumn(tree.heads, ({ time }) => (Number.isNaN(time) ? null : time)),
    sizes: buildColumn(tree.heads, ({ length }) => (agent ? null : length)),
    ...others,
    labels: listLabels(session),
    order: buildColumn(listOutline(tree), ({ index }) => index),
    forks: buildColumn(listOutline(tree), ({ forks }) => forks),
  };
}

function buildColumn<Item, Value>(items: Iterable<Item>, valueOf: (item: Item) => Value): Iterable<Value> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) yield valueOf(item);
    },
  };
}

function listOutline(tree: Tree): Iterable<OutlineRow> {
  const options = { isVisible: () => true, from: null, depth: Infinity };
  return { [Symbol.iterator]: () => outlineOf(forestOf(tree), options)[Symbol.iterator]() };
}

interface NamedEntry {
  readonly head: Head;
  readonly entry: Entry;
  readonly name: string;
}

function addEntry(columns: Lists, answers: Answers, { head, entry, name }: NamedEntry, keepers: Keepers): void {
  const { pool, words, findLimit } = keepers;
  if (answersRequest(head)) {
    const model = readModel(messageOf(entry) ?? {});
    answers.models[head.index] = words.numberOf(model, () => model);
  }
  columns.names.push(words.numberOf(name, () => name));
  const contents = readEntryContents(entry);
  const most = findLimit(head.length);
  const declaredTokens = contents
    ? addContents(buildEmptyBreakdown(), { ...contents, message: null }, BY_CHARACTERS)
    : 0;
  if (contents?.message) {
    const { message, textCategory, customType } = contents;
    answers.counted[head.index] = readRecordedRequest(message)?.prompt ?? 0;
    const number = pool.addStored({
      entry: head.index,
      origin: originOf(head),
      message,
      textCategory,
      customType,
      most,
    });
    columns.messages.push(number);
    columns.tokens.push(declaredTokens + (pool.tokens[number] ?? 0));
    return;
  }
  columns.tokens.push(declaredTokens);
  columns.messages.push(-1);
  columns.others.push([head.index, copyText(describeEntry(entry)), limitText(formatIndentedJson(entry), most)]);
}

function readModel({ provider, model }: JsonObject): string {
  return formatModel({ provider: asString(provider) ?? undefined, modelId: asString(model) ?? undefined });
}

function listLabels(session: Session): EntryColumns['labels'] {
  const { heads } = session.tree;
  return [...labelsOf(session)].flatMap(([id, label]) => {
    // A label's target is an id or nothing.
    const head = heads.find(id as Head['id']);
    return head ? [[head.index, label] as const] : [];
  });
}
