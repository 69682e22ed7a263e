import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { incrementCount } from '#base/maps.js';
import { toEntry, type TransformEntry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { StableIds } from '../plan/stable-ids.js';
import { moveResultsToCalls, ResultOrder } from './result-order.js';

/**
 * Writes the entries of another agent's session so that stock Pi, which ignores transforms, shows the same messages.
 * A transform that replaces all messages becomes a compaction that keeps nothing, an edit that omits its summary, and
 * the messages; the last of these entries takes the id of the transform.
 */
export class StockEntryBuilder {
  /** The number of transforms that replace all messages. */
  replacements = 0;
  /** The number of entries beside those of the session. */
  added = 0;
  /** The number of transforms that stock Pi ignores, such as those with the prompt and the tools. */
  ignoredTransforms = 0;
  /** The tools that the messages call, with the number of calls. */
  readonly tools = new Map<string, number>();
  /** The results that follow their calls at once, unlike in the session. */
  readonly results: ResultOrder;
  private readonly ids: StableIds;

  constructor(private readonly session: Session) {
    this.ids = new StableIds(session.tree.heads, session.header.id);
    this.results = new ResultOrder(session);
  }

  /** The entries that are written for an entry; usually itself. */
  buildEntries(head: Head): readonly JsonObject[] {
    const entry = toEntry(this.results.placeEntry(head, this.session.entry(head)));
    switch (entry.type) {
      case 'message':
        this.countTools(entry);
        return [addUsage(entry)];
      case 'compaction':
        return [this.addTokens(head, { ...entry, sentVerbatim: undefined })];
      case 'context_transform':
        return this.buildTransform(head, entry);
      case 'reset_boundary':
        return this.buildReset(head, entry);
      default:
        return [{ ...entry, sentRole: undefined, sentVerbatim: undefined }];
    }
  }

  /** Pi has no reset: a compaction that keeps the same entries, and an edit that omits its summary. */
  private buildReset(head: Head, entry: JsonObject): readonly JsonObject[] {
    const compaction = this.ids.next(head.line);
    const kept = asString(head.target) ?? compaction;
    const bodies = [
      this.addTokens(head, { type: 'compaction', summary: '', firstKeptEntryId: kept, fromHook: true }),
      { type: 'context_edit', targetId: compaction, replacement: null },
    ];
    this.added += bodies.length - 1;
    return this.buildChain(head, entry, { bodies, first: compaction });
  }

  private countTools({ message }: JsonObject): void {
    for (const { type, name } of listObjects(asObject(message).content)) {
      if (type === 'toolCall') incrementCount(this.tools, asString(name) ?? '');
    }
  }

  /**
   * The leaf of a session that went back to before its first entry: Pi continues at the last entry of a file. null if
   * there is none.
   */
  buildStart(): JsonObject | null {
    const { heads } = this.session.tree;
    const last = heads.at(heads.length - 1);
    if (!last) return null;
    const id = this.ids.next(last.line);
    const { timestamp } = this.session.entry(last);
    return { type: 'custom', id, parentId: null, timestamp, customType: 'ctx:before-first-entry', data: {} };
  }

  private buildTransform(head: Head, entry: TransformEntry): readonly JsonObject[] {
    const messages = readReplacedMessages(entry);
    if (messages) return this.buildReplacement(head, entry, messages);
    this.ignoredTransforms += 1;
    return [entry];
  }

  private buildReplacement(head: Head, entry: TransformEntry, messages: readonly JsonObject[]): readonly JsonObject[] {
    const compaction = this.ids.next(head.line);
    const bodies = [
      this.addTokens(head, {
        type: 'compaction',
        summary: messages.map(joinTexts).filter(Boolean).join('\n\n'),
        firstKeptEntryId: compaction,
        details: { replacedBy: entry.transformerName },
        fromHook: true,
      }),
      { type: 'context_edit', targetId: compaction, replacement: null },
      ...moveResultsToCalls(messages).map((message) =>
        addUsage({ type: 'message', message: { ...message, usage: undefined, sentRole: undefined } }),
      ),
    ];
    this.replacements += 1;
    this.added += bodies.length - 1;
    return this.buildChain(head, entry, { bodies, first: compaction });
  }

  /** Gives entries their ids and parents: the first follows the parent of an entry, and the last takes its id. */
  private buildChain(
    head: Head,
    { id, parentId, timestamp }: JsonObject,
    { bodies, first }: { readonly bodies: readonly JsonObject[]; readonly first: string },
  ): readonly JsonObject[] {
    let parent = parentId;
    return bodies.map(({ type, ...fields }, at) => {
      let entryId: unknown;
      if (at === 0) entryId = first;
      else if (at === bodies.length - 1) entryId = id;
      else entryId = this.ids.next(head.line);
      const entry = { type, id: entryId, parentId: parent, timestamp, ...fields };
      parent = entryId;
      return entry;
    });
  }

  /** Adds `tokensBefore`, without which Pi cannot show a compaction: the tokens of the newest request before it. */
  private addTokens(head: Head, compaction: JsonObject): JsonObject {
    if (asCount(compaction.tokensBefore) !== null) return compaction;
    const { session } = this;
    const tokensAt = (at: Head): number => (at.usageLength > 0 ? (asCount(session.usage(at)?.totalTokens) ?? 0) : 0);
    const request = pathTo(session.tree, head).findLast((at) => tokensAt(at) > 0);
    return { ...compaction, tokensBefore: request ? tokensAt(request) : 0 };
  }
}

/** The messages of a transform that only replaces all messages; null for any other. */
function readReplacedMessages({ patch }: TransformEntry): readonly JsonObject[] | null {
  const [first, ...others] = listObjects(patch);
  if (!first || others.length > 0) return null;
  const { op, messages } = first;
  return op === 'messages_cached_replace' ? listObjects(messages) : null;
}

/**
 * Adds a usage to an answer, without which Pi stops. Counts that are not recorded are zero, for which Pi estimates, and
 * `notRecorded` tells ctx that they are no counts.
 */
function addUsage(entry: JsonObject): JsonObject {
  const { message } = entry;
  if (!isObject(message) || message.role !== 'assistant') return entry;
  const usage = asObject(message.usage);
  const hasCost = asCount(asObject(usage.cost).total) !== null;
  const isEmpty = Object.keys(usage).every((name) => name === 'cost') && !hasCost;
  const zeros = isEmpty ? { ...NO_USAGE, notRecorded: true } : NO_USAGE;
  return { ...entry, message: { ...message, usage: { ...zeros, ...usage } } };
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: {} };

function joinTexts({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return listObjects(content)
    .map(({ text }) => asString(text) ?? '')
    .join('\n');
}
