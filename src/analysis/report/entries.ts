import { asString, indentedJson, isObject, type JsonObject } from '#base/json.js';
import { modelName } from '#base/words.js';
import { BY_CHARACTERS } from '#context/replay/tokens.js';
import { entryName, entryPreview } from '#context/words/entry-text.js';
import { callText } from '#context/words/message-text.js';
import { CallFinder } from '#context/words/tool-call.js';
import { labelsOf, type Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { forestOf, outlineOf } from '#session/tree/forest.js';
import { addContents, contentsOf, emptyBreakdown } from '../stats/token-breakdown.js';
import { limited, unshared } from './blocks.js';
import type { EntryColumns } from './document.js';
import type { RequestSource } from './request-source.js';

type Keepers = Pick<RequestSource, 'pool' | 'words' | 'models' | 'mostOf'> & { readonly calls: CallFinder };

type Lists = {
  -readonly [
    Name in 'ids' | 'lines' | 'names' | 'times' | 'sizes' | 'tokens' | 'messages' | 'others'
  ]: EntryColumns[Name][number][];
};

/** Reads all entries of a session into columns. Parses each entry once, and adds its message to the pool, its model to `models`. */
export function entryColumns(session: Session, keepers: Omit<Keepers, 'calls'>): Omit<EntryColumns, 'path'> {
  const columns: Lists = { ids: [], lines: [], names: [], times: [], sizes: [], tokens: [], messages: [], others: [] };
  const calls = new CallFinder(session);
  for (const head of session.tree.heads) add(columns, session, head, { ...keepers, calls });
  return { ...columns, labels: labelsByEntry(session), ...treeOf(session) };
}

function add(columns: Lists, session: Session, head: Head, { pool, words, models, mostOf, calls }: Keepers): void {
  const entry = session.entry(head);
  const contents = contentsOf(entry);
  const most = mostOf(head.length);
  const name = entryName(head);
  if (head.role === 'assistant') {
    const model = modelIn(isObject(entry['message']) ? entry['message'] : {});
    models[head.index] = words.numberOf(model, () => model);
  }
  columns.ids.push(idText(head.id));
  columns.lines.push(head.line);
  columns.names.push(words.numberOf(name, () => name));
  columns.times.push(Number.isNaN(head.time) ? null : head.time);
  columns.sizes.push(head.length);
  columns.tokens.push(contents ? addContents(emptyBreakdown(), contents, BY_CHARACTERS) : 0);
  if (contents?.message) {
    const { message, textIs } = contents;
    const origin = head.type === 'compaction' ? 'compaction' : 'entry';
    const answered = calls.of(head, entry);
    const call = answered && callText(answered, session.header.cwd ?? '');
    columns.messages.push(pool.add({ entry: head.index, origin, message, textIs, most, call }));
    return;
  }
  columns.messages.push(-1);
  columns.others.push([head.index, unshared(entryPreview(entry)), limited(indentedJson(entry), most)]);
}

/** The model that an answer came from. */
function modelIn({ provider, model }: JsonObject): string {
  return modelName({ provider: asString(provider) ?? undefined, modelId: asString(model) ?? undefined });
}

function labelsByEntry(session: Session): EntryColumns['labels'] {
  const { heads } = session.tree;
  return [...labelsOf(session)].flatMap(([id, label]) => {
    // A label's target is an id or nothing.
    const head = heads.find(id as Head['id']);
    return head ? [[head.index, label] as const] : [];
  });
}

function treeOf({ tree }: Session): Pick<EntryColumns, 'order' | 'forks'> {
  const order: number[] = [];
  const forks: number[] = [];
  for (const row of outlineOf(forestOf(tree), { isVisible: () => true, from: null, depth: Infinity })) {
    order.push(row.index);
    forks.push(row.forks);
  }
  return { order, forks };
}
