import { type JsonObject, listObjects } from '#base/json.js';
import { once } from '#base/memoize.js';
import { messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/**
 * The order of entries in which the results of tool calls follow their calls. Codex records, and sends, a message between
 * a call and its result if the user approves a command. Pi would send "No result provided" there and the result later,
 * which providers refuse. An answer saw both or none, so the result can come first.
 */
export class ResultOrder {
  /** The number of results that are moved before such messages. */
  moved = 0;
  /** The number of answers with a result that stays after a message, since a branch or a compaction begins between. */
  left = 0;
  /** The entry that is written in place of an entry. */
  private readonly places = new Map<number, Head>();
  /** The new parent of each entry of such a stretch. */
  private readonly parents = new Map<number, Head>();
  /** The new last entry of a stretch, by the last one. */
  private readonly ends = new Map<number, Head>();

  constructor(private readonly session: Session) {
    const isBound = buildBoundaryTest(session);
    for (const stretch of listStretches(session)) {
      if (isLate(stretch)) this.take(stretch, isBound);
    }
  }

  /** The entries in the order in which they are written: that of the session, and the active leaf last. */
  *heads(): Generator<Head> {
    const { heads } = this.session.tree;
    const { leaf } = this;
    for (const head of heads) {
      const written = this.places.get(head.index) ?? head;
      if (written.index !== leaf?.index) yield written;
    }
    if (leaf) yield leaf;
  }

  /** An entry with the parent that it has in this order. */
  placeEntry(head: Head, entry: JsonObject): JsonObject {
    const parent = this.parents.get(head.index) ?? this.ends.get(this.session.tree.heads.parentAt(head.index));
    return parent ? { ...entry, parentId: parent.id } : entry;
  }

  private get leaf(): Head | null {
    const { leaf } = this.session.tree;
    return (leaf && this.ends.get(leaf.index)) ?? leaf;
  }

  private take([answer, ...after]: readonly Head[], isBound: (stretch: readonly Head[]) => boolean): void {
    const last = after.at(-1);
    if (!answer || !last) return;
    const readMessage = (head: Head): JsonObject => messageOf(this.session.entry(head)) ?? {};
    const ordered = putResultsFirst(readMessage(answer), after, readMessage);
    if (ordered === after) return;
    if (isBound(after)) {
      this.left += 1;
      return;
    }
    const first = after.findIndex((head, at) => head !== ordered[at]);
    this.moved += ordered.findIndex((head) => head === after[first]) - first;
    ordered.forEach((head, at) => {
      this.places.set(after[at]?.index ?? head.index, head);
      this.parents.set(head.index, ordered[at - 1] ?? answer);
    });
    this.ends.set(last.index, ordered.at(-1) ?? last);
  }
}

/** Messages with the results of each answer directly after it, as an import has them. */
export function moveResultsToCalls<Message extends JsonObject>(messages: readonly Message[]): readonly Message[] {
  const ordered: Message[] = [];
  const starts = messages.flatMap((message, at) => (message.role === 'assistant' ? [at] : []));
  let from = 0;
  for (const [nth, start] of starts.entries()) {
    const after = messages.slice(start + 1, starts[nth + 1]);
    ordered.push(...messages.slice(from, start + 1), ...putResultsFirst(messages[start] ?? {}, after, (each) => each));
    from = start + 1 + after.length;
  }
  return [...ordered, ...messages.slice(from)];
}

/** The items after an answer, the results of its calls first; the same list if they are. */
function putResultsFirst<Item>(
  answer: JsonObject,
  after: readonly Item[],
  readMessage: (item: Item) => JsonObject,
): readonly Item[] {
  const open = new Set(listObjects(answer.content).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : [])));
  const results: Item[] = [];
  const others: Item[] = [];
  for (const item of after) {
    const { role, toolCallId } = readMessage(item);
    if (role === 'toolResult' && open.delete(toolCallId)) results.push(item);
    else others.push(item);
  }
  return results.every((item, at) => item === after[at]) ? after : [...results, ...others];
}

/** Entries that may be between a call and its result, beside messages. */
const BETWEEN: ReadonlySet<string | null> = new Set([
  'message',
  'custom_message',
  'custom',
  'model_change',
  'thinking_level_change',
  'session_info',
  'label',
  'context_edit',
]);

/** Each answer with the entries that directly follow it in the file, up to the next answer. */
function* listStretches({ tree: { heads } }: Session): Generator<readonly Head[]> {
  let stretch: Head[] = [];
  for (const head of heads) {
    const isNext = stretch.length > 0 && heads.parentAt(head.index) === head.index - 1;
    if (isNext && head.role !== 'assistant' && BETWEEN.has(head.type)) stretch.push(head);
    else {
      yield stretch;
      stretch = head.role === 'assistant' ? [head] : [];
    }
  }
  yield stretch;
}

/** Whether a result comes after a message. */
function isLate(stretch: readonly Head[]): boolean {
  const first = stretch.findIndex((head, at) => at > 0 && isOtherMessage(head));
  return first !== -1 && stretch.findLastIndex(({ role }) => role === 'toolResult') > first;
}

function isOtherMessage({ type, role }: Head): boolean {
  return type === 'custom_message' || (role !== null && role !== 'toolResult');
}

/** Whether the context at an entry of a stretch is that of another branch too, or a compaction keeps what follows. */
function buildBoundaryTest({ tree: { heads, leaf } }: Session): (stretch: readonly Head[]) => boolean {
  const readBoundaries = once(() => {
    const kept = new Set(Array.from(heads.ofType('compaction'), ({ index }) => heads.targetAt(index)));
    // Going back to an entry is a branch that has no entry yet.
    const parents = new Set(leaf ? [leaf.index] : []);
    const forks = new Set<number>();
    for (let index = 0; index < heads.length; index += 1) {
      const parent = heads.parentAt(index);
      if (parents.has(parent)) forks.add(parent);
      parents.add(parent);
    }
    return { kept, forks };
  });
  return (stretch) => {
    const { kept, forks } = readBoundaries();
    return stretch.some(({ index }, at) => kept.has(index) || (forks.has(index) && at < stretch.length - 1));
  };
}
