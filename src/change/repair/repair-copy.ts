import { findSessionImageLimits } from '#analysis/check/provider/image-limits.js';
import { isAboutBytes, type RejectedImage } from '#analysis/check/provider/request-images.js';
import { addTo } from '#base/maps.js';
import { memoize } from '#base/memoize.js';
import { pluralize } from '#base/numbers.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { HistoryEdit } from '#session/agents/copy-changes.js';
import type { FoundFault, RecordFlaw } from '#session/agents/faults.js';
import { formatId, type Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { type CopyDraft, draftEditedCopy, measureAsCopy } from '../copy/copy-draft.js';
import { type SessionToCopy } from '../copy/session-to-copy.js';
import { buildDraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain } from '../plan/new-entries.js';
import { type CallRepairs, findCallRepairs, insertResults } from './call-repairs.js';
import { listRefusedImages, noteImage, type SavedImage } from './copy-images.js';
import type { CopyRepair } from './copy-repair.js';
import { editHistories } from './edit-histories.js';
import { repairBlocks } from './repair-blocks.js';

/** A part that is left out although nothing seems to be wrong with it. */
export type DroppedPart = 'images' | 'thinking';

/** A repaired copy before it is written. */
export interface RepairedCopy {
  readonly copy: CopyDraft;
  /** In the order of the file. */
  readonly repairs: readonly CopyRepair[];
  /** The images that are left out, to be saved beside the copy. */
  readonly images: readonly SavedImage[];
  /** The images that stay, since no entry of their own has them. */
  readonly imagesLeft: number;
  /** The records with half of a surrogate pair beside those of the context. */
  readonly completedElsewhere: number;
}

/**
 * Plans a copy without what the provider refuses: of the session as `readForCopy` links it. The entries of the session are
 * changed for that. Images are replaced by a note, thinking without its signature is left out of all answers, calls and results
 * are paired, and empty texts are left out.
 */
export function planCopyRepair(
  session: SessionToCopy,
  dropped: ReadonlySet<DroppedPart>,
  stamps: EntryStamps,
): RepairedCopy {
  const calls = findCallRepairs(session);
  const repair = repairContents(session, calls, dropped);
  const bodies = repair.edits.map(({ head, content }) => ({
    type: 'context_edit',
    targetId: head.id,
    replacement: content === null ? null : { content },
  }));
  const leafId = formatId(session.tree.leaf?.id);
  const draft = buildDraft(editHistories(session, repair.histories), buildEntryChain(session, leafId, bodies, stamps));
  const edited = draftEditedCopy(measureAsCopy(draft));
  const changes = {
    ...edited.changes,
    dropped: new Set([...edited.changes.dropped, ...calls.orphans]),
    answered: calls.answered,
    histories: repair.histories,
  };
  const repairs = [...listLinkRepairs(session), ...calls.repairs, ...repair.repairs];
  return {
    copy: { changes, after: insertResults(session, edited.after, calls.answered) },
    repairs: repairs.toSorted((a, b) => a.line - b.line),
    images: repair.images,
    imagesLeft: repair.imagesLeft,
    completedElsewhere: session.completed.size - repair.completed.size,
  };
}

function listLinkRepairs({ linked }: SessionToCopy): readonly CopyRepair[] {
  return linked.map(({ record, entryId, fromId, toId, isCircular }): CopyRepair => {
    const done = toId === null ? 'it begins the session now' : `it follows "${toId}" now, the record before it`;
    const why = `its parent "${fromId}" ${isCircular ? 'descends from it' : 'is not in the file'}`;
    return { rule: 'orphan', ...(isCircular && { cause: 'circle' }), why, done, entryId, line: record.line };
  });
}

/** The new content of the message of an entry; null leaves it out. */
interface ContentEdit {
  readonly head: Head;
  readonly content: readonly unknown[] | null;
}

/** Finds what has to change in the messages of a context. */
function repairContents(session: SessionToCopy, calls: CallRepairs, dropped: ReadonlySet<DroppedPart>): ContentRepair {
  const readTraits = buildTraitReader(session);
  const sent = listSentEntries(session, readTraits);
  const unsigned = listHolders(sent).filter(({ index }) => readTraits(index).flaws.has('unsigned thinking'));
  const dropsThinking = unsigned.length > 0 || dropped.has('thinking');
  const refused = listRefusedImages(
    sent.map(({ message }) => message),
    {
      limits: findSessionImageLimits(session),
      areAllRefused: dropped.has('images'),
      areFormatsChecked: session.copier.sendsStoredImages,
    },
  );
  const reasons = groupReasons(refused);

  const repair = new ContentRepair(session, readTraits, calls, dropsThinking);
  for (const [at, each] of sent.entries()) repair.take(each, reasons.get(at) ?? NO_REASONS);
  for (const { head } of sent) if (head) repair.noteCompleted(head);
  if (dropsThinking) repair.noteThinking(sent, unsigned);
  return repair;
}

/** A message of the context, and the entry that has it. */
interface SentEntry {
  readonly message: LlmMessage;
  readonly head: Head | null;
  /** Where its content can be changed: in the message of the entry, or in the history that it records; null for nowhere. */
  readonly holder: 'entry' | 'history' | null;
}

function listSentEntries(session: SessionToCopy, readTraits: TraitReader): readonly SentEntry[] {
  const { messages, meta } = buildEnvelope(session, session.tree.leaf);
  return messages.cached.flatMap((message, at): readonly SentEntry[] => {
    const from = meta.provenance[at];
    if (!from) return [];
    const head = findHeadAtLine(session, from.line, from.entryId) ?? null;
    return [{ message, head, holder: findHolder(head, from, readTraits) }];
  });
}

function findHolder(head: Head | null, { origin }: Provenance, readTraits: TraitReader): SentEntry['holder'] {
  if (head === null) return null;
  if (origin === 'entry' || origin === 'edit') return 'entry';
  return readTraits(head.index).recordsHistory ? 'history' : null;
}

/** The entries whose content can be changed, each once: many messages of a history have one entry. */
function listHolders(sent: readonly SentEntry[]): readonly Head[] {
  const heads = new Map<number, Head>();
  for (const { head, holder } of sent) if (head && holder) heads.set(head.index, head);
  return [...heads.values()];
}

/** The facts about the records of an entry as they are stored. */
interface RecordTraits {
  readonly flaws: ReadonlySet<RecordFlaw>;
  readonly recordsHistory: boolean;
}

type TraitReader = (index: number) => RecordTraits;

/** Reads the records of an entry once: a history has many messages, and its record is long. */
function buildTraitReader({ native, copier, tree }: SessionToCopy): TraitReader {
  return memoize((index: number): RecordTraits => {
    const head = tree.heads.at(index);
    const records = (head && native?.of(head).map((span) => native.valueAt(span))) ?? [];
    return {
      flaws: new Set(records.flatMap((record) => copier.findFlaws(record))),
      recordsHistory: records.some((record) => copier.recordsHistory(record)),
    };
  });
}

/** The reasons why images of a message are refused, by their places in it. */
type ImageReasons = ReadonlyMap<number, string>;

const NO_REASONS: ImageReasons = new Map();

function groupReasons(refused: readonly RejectedImage[]): ReadonlyMap<number, ImageReasons> {
  const byMessage = new Map<number, Map<number, string>>();
  for (const { message, at, why } of refused) {
    const reasons = byMessage.get(message) ?? new Map<number, string>();
    reasons.set(at, why);
    byMessage.set(message, reasons);
  }
  return byMessage;
}

/** The new content of the message of an entry; null leaves it out. */
interface ContentEdit {
  readonly head: Head;
  readonly content: readonly unknown[] | null;
}

/** The changes of the messages of a context, and the notes about them. */
class ContentRepair {
  readonly edits: ContentEdit[] = [];
  readonly repairs: CopyRepair[] = [];
  readonly images: SavedImage[] = [];
  /** The messages of recorded histories that change, by the index of the entry. */
  readonly histories = new Map<number, HistoryEdit[]>();
  /** The lines of records whose halves of surrogate pairs were noted. */
  readonly completed = new Set<number>();
  imagesLeft = 0;

  constructor(
    private readonly session: SessionToCopy,
    private readonly readTraits: TraitReader,
    private readonly calls: CallRepairs,
    private readonly dropsThinking: boolean,
  ) {}

  take({ message, head, holder }: SentEntry, reasons: ImageReasons): void {
    if (!head || !holder) {
      this.imagesLeft += reasons.size;
      return;
    }
    const { flaws } = this.readTraits(head.index);
    const { content, isSame, notes } = repairBlocks(message, {
      replace: (block, at) => {
        const why = reasons.get(at);
        return why === undefined ? null : this.takeImage(block, why);
      },
      dropsThinking: this.dropsThinking,
      droppedCalls: this.calls.doubled.get(head.index) ?? NO_CALLS,
      dropsEmptyTexts: flaws.has('empty text') || flaws.has('empty failure'),
    });
    if (isSame) return;
    if (holder === 'entry') this.edits.push({ head, content });
    else {
      const after = content as HistoryEdit['after'];
      addTo(this.histories, head.index, { before: listBlocks(message), after });
    }
    for (const { rule, why, done } of notes) {
      const cause = findCause(rule, { message, isGone: content === null, flaws });
      this.note({ rule, ...(cause && { cause }) }, { why, done }, head);
    }
    this.noteImages(head, reasons);
  }

  private takeImage(block: unknown, why: string): unknown {
    const { image, note } = noteImage(block, why, this.images.length + 1);
    this.images.push(image);
    return note;
  }

  /** Notes the images of a message, those with one reason together. The newest saved images are theirs. */
  private noteImages(head: Head, reasons: ImageReasons): void {
    const own = this.images.slice(this.images.length - reasons.size);
    const whys = new Map<string, string[]>();
    for (const [at, why] of [...reasons.values()].entries()) addTo(whys, why, own[at]?.name ?? '');
    for (const [why, names] of whys) {
      const isOne = names.length === 1;
      const done = isOne
        ? `a note replaces it, saved as ${names[0]}`
        : `notes replace them, saved as ${names[0]} to ${names.at(-1)}`;
      const times = isOne ? '' : ` (${names.length} such images)`;
      const fault = { rule: 'unsupported-image', ...(isAboutBytes(why) && { cause: 'bytes' as const }) };
      this.note(fault, { why: `${why}${times}`, done }, head);
    }
  }

  noteThinking(sent: readonly SentEntry[], unsigned: readonly Head[]): void {
    const thoughts = sent.flatMap(({ message, head, holder }) =>
      message.role === 'assistant' && head && holder
        ? listBlocks(message).flatMap(({ type }) => (type === 'thinking' ? head : []))
        : [],
    );
    const first = unsigned[0] ?? thoughts[0];
    if (!first) return;
    const why = unsigned.length > 0 ? 'thinking has no valid signature' : 'thinking is left out, as --drop says';
    const done = `${pluralize(thoughts.length, 'block')} of thinking left out of all answers`;
    const { line: lastLine } = unsigned.at(-1) ?? first;
    this.note({ rule: 'lost-signature' }, { why, done, lastLine }, first);
  }

  /** Notes that a record of an entry had half of a surrogate pair, which was replaced when it was read. */
  noteCompleted(head: Head): void {
    const lines = this.session.native?.of(head).flatMap(({ line }) => (this.session.completed.has(line) ? line : []));
    const found = (lines ?? []).filter((line) => !this.completed.has(line));
    for (const line of found) this.completed.add(line);
    if (found.length === 0) return;
    const why = 'a text has half of a surrogate pair';
    this.note({ rule: 'half-surrogate-pair' }, { why, done: 'U+FFFD replaces it' }, head);
  }

  private note(fault: FoundFault, description: Pick<CopyRepair, 'why' | 'done' | 'lastLine'>, head: Head): void {
    this.repairs.push({ ...fault, ...description, entryId: formatId(head.id), line: head.line });
  }
}

interface RepairedEntry {
  readonly message: LlmMessage;
  readonly isGone: boolean;
  readonly flaws: RecordTraits['flaws'];
}

/** The reason why a fault is worse, or milder, than others of its rule; null for none. */
function findCause(rule: string, { message, isGone, flaws }: RepairedEntry): FoundFault['cause'] | null {
  if (rule === 'duplicate-call-id') return isGone ? 'only call' : null;
  if (rule === 'empty-tool-result') return flaws.has('empty text') ? 'empty text' : null;
  const isBlankPart = rule === 'empty-content' && !isGone && hasOnlyBlankParts(message);
  return isBlankPart ? 'blank part' : null;
}

const NO_CALLS: ReadonlySet<string> = new Set();

/** Whether the empty texts of a message are those of an answer with line breaks or spaces, as Claude streams them. */
function hasOnlyBlankParts(message: LlmMessage): boolean {
  return message.role === 'assistant' && listBlocks(message).every(({ type, text }) => type !== 'text' || text !== '');
}
