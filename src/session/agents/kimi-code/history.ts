import { asObject, type JsonObject } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildReplacement, toTextBlock } from '../blocks.js';
import type { EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { isOfUser, readKimiTime } from './messages.js';

/** A message of the client's history. */
export interface HistoryMessage {
  /** `user`: an undo counts it; `injection`: an undo passes over it; `summary`: no undo goes further back. */
  readonly kind: 'user' | 'injection' | 'summary' | 'other';
  /** The lines from which the item is built. */
  readonly lines: readonly LineSpan[];
  build(values: readonly JsonObject[]): JsonObject;
  /** The id of the prompt. */
  readonly id?: unknown;
  /** The id of the prompt to which an injection belongs. */
  readonly owner?: unknown;
}

/** A message of the history with the place of its entry in the list. */
interface HistoryItem extends HistoryMessage {
  /** The parent of its entry; undefined if it is one of the many messages of a replacement, which is one entry. */
  readonly parentId: string | null | undefined;
  /** The number of entries before its own. */
  readonly index: number;
}

/** The messages that the client sends, and the entry of each in a list. */
export class History {
  private items: HistoryItem[] = [];

  constructor(private readonly list: EntryList) {}

  get messages(): readonly HistoryItem[] {
    return this.items;
  }

  /** Adds a message, whose entry `addEntry` adds to the list. */
  add<Added>(message: HistoryMessage, addEntry: () => Added): Added {
    const place = { parentId: this.list.leafId, index: this.list.entries.length };
    const added = addEntry();
    this.items.push({ ...message, ...place });
    return added;
  }

  /** Adds one entry with all messages that the history has from now on. */
  replace(line: AgentRecord, messages: readonly HistoryMessage[], transformerName: string): void {
    const parts = messages.map(({ lines, build }) => ({ count: lines.length, build }));
    this.list.add({
      type: 'context_transform',
      lines: [toLineSpan(line), ...messages.flatMap(({ lines }) => lines)],
      time: readKimiTime(line.value),
      build([, ...values]) {
        let end = 0;
        const built = parts.map(({ count, build }) => {
          end += count;
          return build(values.slice(end - count, end));
        });
        return buildReplacement(built, transformerName);
      },
    });
    const index = this.list.entries.length;
    this.items = messages.map((message) => ({ ...message, parentId: undefined, index }));
  }

  /** Goes back to the first messages. Returns the number of entries before those that are taken back. */
  goBack(line: AgentRecord, length: number): number {
    const [first] = this.items.splice(length);
    if (first?.parentId === undefined && length > 0) this.replace(line, this.items, 'replacement');
    else this.list.leafId = first?.parentId ?? null;
    return first?.index ?? 0;
  }
}

/** The kind of a message that was recorded as a whole. */
export function historyKindOf(message: JsonObject): HistoryMessage['kind'] {
  if (isOfUser(message)) return 'user';
  const { kind } = asObject(message['origin']);
  if (kind === 'compaction_summary') return 'summary';
  return kind === 'injection' ? 'injection' : 'other';
}

/**
 * Finds the first message that an undo takes back: that of the user, or an injection that belongs to it. null if fewer
 * messages of the user follow the last compaction.
 */
export function findUndoStart(history: readonly HistoryItem[], count: number): number | null {
  let start = history.length;
  for (let left = count; left > 0;) {
    start -= 1;
    const item = history[start];
    if (!item || item.kind === 'summary') return null;
    if (item.kind === 'user') left -= 1;
  }
  const prompt = history[start]?.id;
  while (isInjectionOf(history[start - 1], prompt)) start -= 1;
  return start;
}

function isInjectionOf(item: HistoryItem | undefined, prompt: unknown): boolean {
  return item?.kind === 'injection' && prompt !== undefined && item.owner === prompt;
}

/** The messages of the user that a compaction keeps. */
export interface KeptInputs {
  readonly messages: readonly HistoryMessage[];
  /** Whether some between the oldest and the newest are left out, which the file does not name. */
  readonly isElided: boolean;
}

/**
 * Finds the newest messages of the user, and if the oldest are kept too, these. `span`: the record of the compaction.
 */
export function findKeptInputs(
  history: readonly HistoryItem[],
  count: number,
  ofOldest: number | null,
  span: LineSpan,
): KeptInputs {
  const inputs = history.filter(({ kind }) => kind === 'user');
  if (ofOldest === null) return { messages: inputs.slice(Math.max(0, inputs.length - count)), isElided: false };
  const content = [toTextBlock('[the client left out messages of the user]')];
  const note: HistoryMessage = { kind: 'injection', lines: [span], build: () => ({ role: 'user', content }) };
  const newest = inputs.slice(Math.max(ofOldest, inputs.length - (count - ofOldest)));
  return { messages: [...inputs.slice(0, ofOldest), note, ...newest], isElided: true };
}
