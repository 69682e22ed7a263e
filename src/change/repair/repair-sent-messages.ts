import { findSessionImageLimits } from '#analysis/check/provider/image-limits.js';
import { isAboutBytes } from '#analysis/check/provider/request-images.js';
import { addTo } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { HistoryEdit } from '#session/agents/copy-changes.js';
import type { FoundFault } from '#session/agents/faults.js';
import type { Head } from '#session/heads/head.js';
import type { SessionToCopy } from '../copy/session-to-copy.js';
import type { CallRepairs } from './call-repairs.js';
import { leaveImagesOut, type LeftOutImage, listRefusedImages, type SavedImage } from './copy-images.js';
import { buildCopyRepair, type CopyRepair } from './copy-repair.js';
import { repairBlocks } from './repair-blocks.js';
import {
  buildTraitReader,
  listHolders,
  listSentEntries,
  type RecordTraits,
  type SentEntry,
  type TraitReader,
} from './sent-entries.js';

/** A part that is left out although nothing seems to be wrong with it. */
export type DroppedPart = 'images' | 'thinking';

/** The changes of the messages of a context, with the notes about them. */
export interface MessageRepairs {
  readonly edits: readonly ContentEdit[];
  /** The messages of recorded histories that change, by the index of the entry. */
  readonly histories: ReadonlyMap<number, readonly HistoryEdit[]>;
  readonly repairs: readonly CopyRepair[];
  readonly images: readonly SavedImage[];
  /** The refused images that stay, since no entry of their own has them. */
  readonly imagesLeft: number;
  /** The lines of the records in the context in which half of a surrogate pair was replaced. */
  readonly completed: ReadonlySet<number>;
}

/** The new content of the message of an entry; null leaves it out. */
interface ContentEdit {
  readonly head: Head;
  readonly content: readonly unknown[] | null;
}

/** Finds what has to change in the messages of a context. */
export function repairSentMessages(
  session: SessionToCopy,
  calls: CallRepairs,
  dropped: ReadonlySet<DroppedPart>,
): MessageRepairs {
  const readTraits = buildTraitReader(session);
  const sent = listSentEntries(session, readTraits);
  const unsigned = listHolders(sent).filter(({ index }) => readTraits(index).flaws.has('unsigned thinking'));
  const dropsThinking = unsigned.length > 0 || dropped.has('thinking');
  const refused = listRefusedImages(
    sent.map(({ message }) => message),
    {
      limits: findSessionImageLimits(session),
      areAllRefused: dropped.has('images'),
      areFormatsChecked: session.copier.client.sendsStoredImages,
    },
  );
  const leftOut = leaveImagesOut(sent, refused);
  const images = [...leftOut.values()].flat();
  const repaired = sent.flatMap(
    (each, at) => repairMessage(each, leftOut.get(at) ?? [], { readTraits, calls, dropsThinking }) ?? [],
  );
  const { completed, repairs } = noteCompleted(session, sent);
  return {
    edits: repaired.filter(({ holder }) => holder === 'entry'),
    histories: groupHistoryEdits(repaired),
    repairs: [
      ...repaired.flatMap((message) => message.repairs),
      ...repairs,
      ...(dropsThinking ? noteThinking(sent, unsigned) : []),
    ],
    images,
    imagesLeft: refused.length - images.length,
    completed,
  };
}

/** A message with another content, and the notes about that. */
interface RepairedMessage extends ContentEdit {
  readonly message: LlmMessage;
  readonly holder: SentEntry['holder'];
  readonly repairs: readonly CopyRepair[];
}

interface MessageDemands {
  readonly readTraits: TraitReader;
  readonly calls: CallRepairs;
  readonly dropsThinking: boolean;
}

/** Repairs one message; null for one that stays as it is, or that no entry holds. */
function repairMessage(
  { message, head, holder }: SentEntry,
  images: readonly LeftOutImage[],
  { readTraits, calls, dropsThinking }: MessageDemands,
): RepairedMessage | null {
  if (!head || !holder) return null;
  const { flaws } = readTraits(head.index);
  const { content, isSame, notes } = repairBlocks(message, {
    replacements: new Map(images.map(({ at, note }) => [at, note])),
    dropsThinking,
    droppedCalls: calls.doubled.get(head.index) ?? NO_CALLS,
    dropsEmptyTexts: flaws.has('empty text') || flaws.has('empty failure'),
  });
  if (isSame) return null;
  const repairs = notes.map(({ rule, why, done }) => {
    const cause = findCause(rule, { message, isGone: content === null, flaws });
    return buildCopyRepair(head, { rule, ...(cause && { cause }) }, { why, done });
  });
  return { message, head, holder, content, repairs: [...repairs, ...noteImages(head, images)] };
}

const NO_CALLS: ReadonlySet<string> = new Set();

interface RepairedContent {
  readonly message: LlmMessage;
  readonly isGone: boolean;
  readonly flaws: RecordTraits['flaws'];
}

/** The reason why a fault is worse, or milder, than others of its rule; null for none. */
function findCause(rule: string, { message, isGone, flaws }: RepairedContent): FoundFault['cause'] | null {
  if (rule === 'duplicate-call-id') return isGone ? 'only call' : null;
  if (rule === 'empty-tool-result') return flaws.has('empty text') ? 'empty text' : null;
  const isBlankPart = rule === 'empty-content' && !isGone && hasOnlyBlankParts(message);
  return isBlankPart ? 'blank part' : null;
}

/** Whether the empty texts of a message are those of an answer with line breaks or spaces, as Claude streams them. */
function hasOnlyBlankParts(message: LlmMessage): boolean {
  return message.role === 'assistant' && listBlocks(message).every(({ type, text }) => type !== 'text' || text !== '');
}

/** Notes the images of a message, those with one reason together. */
function noteImages(head: Head, images: readonly LeftOutImage[]): readonly CopyRepair[] {
  const names = new Map<string, string[]>();
  for (const { why, name } of images) addTo(names, why, name);
  return Array.from(names, ([why, [first, ...others]]) => {
    const last = others.at(-1);
    const fault: FoundFault = { rule: 'unsupported-image', ...(isAboutBytes(why) && { cause: 'bytes' }) };
    if (last === undefined) return buildCopyRepair(head, fault, { why, done: `a note replaces it, saved as ${first}` });
    return buildCopyRepair(head, fault, {
      why: `${why} (${others.length + 1} such images)`,
      done: `notes replace them, saved as ${first} to ${last}`,
    });
  });
}

/** Groups the edits of messages that a history records, by the index of its entry. */
function groupHistoryEdits(repaired: readonly RepairedMessage[]): ReadonlyMap<number, readonly HistoryEdit[]> {
  const histories = new Map<number, HistoryEdit[]>();
  for (const { message, head, holder, content } of repaired) {
    if (holder !== 'history') continue;
    addTo(histories, head.index, { before: listBlocks(message), after: content as HistoryEdit['after'] });
  }
  return histories;
}

/** Notes the entries whose records had half of a surrogate pair, which was replaced when they were read. */
function noteCompleted(
  session: SessionToCopy,
  sent: readonly SentEntry[],
): Pick<MessageRepairs, 'completed' | 'repairs'> {
  const completed = new Set<number>();
  const repairs: CopyRepair[] = [];
  for (const { head } of sent) {
    if (!head) continue;
    const records = session.native?.of(head) ?? [];
    const found = records.filter(({ line }) => session.completed.has(line) && !completed.has(line));
    if (found.length === 0) continue;
    for (const { line } of found) completed.add(line);
    const why = 'a text has half of a surrogate pair';
    repairs.push(buildCopyRepair(head, { rule: 'half-surrogate-pair' }, { why, done: 'U+FFFD replaces it' }));
  }
  return { completed, repairs };
}

/** Notes the thinking that all answers lose, at the first entry that makes it necessary; nothing without any. */
function noteThinking(sent: readonly SentEntry[], unsigned: readonly Head[]): readonly CopyRepair[] {
  const thoughts = sent.flatMap(({ message, head, holder }) =>
    message.role === 'assistant' && head && holder
      ? listBlocks(message).flatMap(({ type }) => (type === 'thinking' ? head : []))
      : [],
  );
  const first = unsigned[0] ?? thoughts[0];
  if (!first) return [];
  const why = unsigned.length > 0 ? 'thinking has no valid signature' : 'thinking is left out, as --drop says';
  const done = `${pluralize(thoughts.length, 'block')} of thinking left out of all answers`;
  const { line: lastLine } = unsigned.at(-1) ?? first;
  return [buildCopyRepair(first, { rule: 'lost-signature' }, { why, done, lastLine })];
}
