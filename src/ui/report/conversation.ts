import { asString } from '#base/json.js';
import type { Baseline } from '#context/replay/baseline.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { CallFinder } from '#context/words/tool-call.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { startsTurn } from '#session/tree/tree.js';
import { drawnBlock } from '../reading/draw.js';
import { entryBlocks } from '../reading/entry.js';
import { fatesAlong } from '../reading/fates.js';
import type { ConversationData, DrawnEntry } from './data.js';

interface Conversation {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly readPatch: ReadPatch;
  readonly baseline: Baseline;
  /** The maximum length of a text, for a line of `bytes` bytes. */
  readonly mostOf: (bytes: number) => number;
}

/** The turns of a path, and the entries that its context omits or changes. */
export function conversationOf({ session, path, readPatch, baseline }: Conversation): ConversationData {
  const fates = fatesAlong(session, path, { readPatch, baseline, lenient: true });
  return {
    turns: path.flatMap((head, at) => (startsTurn(head) ? [at] : [])),
    fates: fates.map(({ entry, isChanged, by }) => [entry.index, isChanged ? 'changed' : 'omitted', by.index]),
  };
}

/** The entries of a path as the page draws them. Each is read when it is written, so that only one is in memory. */
export function drawnEntries(conversation: Conversation): Iterable<DrawnEntry | null> {
  return { [Symbol.iterator]: () => drawnOneByOne(conversation) };
}

function* drawnOneByOne({ session, path, mostOf }: Conversation): Generator<DrawnEntry | null> {
  const calls = new CallFinder(session);
  const cwd = session.header.cwd ?? '';
  for (const head of path) {
    const entry = session.entry(head);
    const blocks = entryBlocks(entry, { call: calls.of(head, entry) ?? undefined, cwd });
    const most = mostOf(head.length);
    const answers = asString(messageOfEntry(entry)?.['toolCallId']);
    yield blocks && { blocks: blocks.map((block) => drawnBlock(block, most)), ...(answers !== null && { answers }) };
  }
}
