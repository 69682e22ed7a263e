import { findSessionImageLimits, type ImageLimits, isAboutBytes } from '#analysis/check/provider/image-limits.js';
import { addTo } from '#base/maps.js';
import { memoize } from '#base/memoize.js';
import { pluralize } from '#base/numbers.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { FoundFault, HistoryEdit, RecordFlaw } from '#session/agents/copy.js';
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
  const repair = new ContentRepair(session, calls, dropped);
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
class ContentRepair {
  readonly edits: ContentEdit[] = [];
  readonly repairs: CopyRepair[] = [];
  readonly images: SavedImage[] = [];
  /** The messages of recorded histories that change, by the index of the entry. */
  readonly histories = new Map<number, HistoryEdit[]>();
  /** The lines of records whose halves of surrogate pairs were noted. */
  readonly completed = new Set<number>();
  imagesLeft = 0;
  private readonly limits: ImageLimits;
  private readonly dropsThinking: boolean;

  constructor(
    private readonly session: SessionToCopy,
    private readonly calls: CallRepairs,
    dropped: ReadonlySet<DroppedPart>,
  ) {
    this.limits = findSessionImageLimits(session);
    const { messages, meta } = buildEnvelope(session, session.tree.leaf);
    const sent = messages.cached.flatMap((message, at): readonly SentEntry[] => {
      const from = meta.provenance[at];
      return from ? [this.findEntry(message, from)] : [];
    });
    // Many messages of a history have one entry, and each time that it is found, it is another object.
    const heads = new Map(sent.flatMap(({ head, holder }) => (head && holder ? [[head.index, head] as const] : [])));
    const unsigned = [...heads.values()].filter((head) => this.hasFlaw(head, 'unsigned thinking'));
    this.dropsThinking = unsigned.length > 0 || dropped.has('thinking');
    const images = new Map<number, Map<number, string>>();
    const refused = listRefusedImages(
      sent.map(({ message }) => message),
      {
        limits: this.limits,
        areAllRefused: dropped.has('images'),
        areFormatsChecked: session.copier.sendsStoredImages,
      },
    );
    for (const { message, at, why } of refused) images.set(message, (images.get(message) ?? new Map()).set(at, why));
    for (const [at, each] of sent.entries()) {
      const own = images.get(at) ?? new Map<number, string>();
      if (each.head && each.holder) this.repair({ ...each, head: each.head }, own);
      else this.imagesLeft += own.size;
    }
    for (const { head } of sent) if (head) this.noteCompleted(head);
    if (this.dropsThinking) this.noteThinking(sent, unsigned);
  }

  private findEntry(message: LlmMessage, { origin, line, entryId }: Provenance): SentEntry {
    const head = findHeadAtLine(this.session, line, entryId) ?? null;
    if (head && (origin === 'entry' || origin === 'edit')) return { message, head, holder: 'entry' };
    const isRecorded = head !== null && this.readTraits(head.index).recordsHistory;
    return { message, head, holder: isRecorded ? 'history' : null };
  }

  private hasFlaw({ index }: Head, flaw: RecordFlaw): boolean {
    return this.readTraits(index).flaws.has(flaw);
  }

  /** Reads the records of an entry once: a history has many messages, and its record is long. */
  private readonly readTraits = memoize((index: number): RecordTraits => {
    const { native, copier, tree } = this.session;
    const head = tree.heads.at(index);
    const records = (head && native?.of(head).map((span) => native.valueAt(span))) ?? [];
    return {
      flaws: new Set(records.flatMap((record) => copier.findFlaws(record))),
      recordsHistory: records.some((record) => copier.recordsHistory(record)),
    };
  });

  private repair(
    { message, head, holder }: SentEntry & { readonly head: Head },
    images: ReadonlyMap<number, string>,
  ): void {
    const hasEmptyText = this.hasFlaw(head, 'empty text');
    const repaired = repairBlocks(message, {
      replace: (block, at) => {
        const why = images.get(at);
        return why === undefined ? null : this.takeImage(block, why);
      },
      dropsThinking: this.dropsThinking,
      droppedCalls: this.calls.doubled.get(head.index) ?? NO_CALLS,
      dropsEmptyTexts: hasEmptyText || this.hasFlaw(head, 'empty failure'),
    });
    if (repaired.isSame) return;
    if (holder === 'entry') this.edits.push({ head, content: repaired.content });
    else {
      const after = repaired.content as HistoryEdit['after'];
      addTo(this.histories, head.index, { before: listBlocks(message), after });
    }
    const isGone = repaired.content === null;
    for (const { rule, why, done } of repaired.notes) {
      const isOnly = isGone && rule === 'duplicate-call-id';
      const isEmptyText = rule === 'empty-tool-result' && hasEmptyText;
      const isBlankPart = !isGone && rule === 'empty-content' && hasOnlyBlankParts(message);
      const cause = isOnly ? 'only call' : isEmptyText ? 'empty text' : isBlankPart ? 'blank part' : null;
      this.note({ rule, ...(cause !== null && { cause }) }, { why, done }, head);
    }
    this.noteImages(head, images);
  }

  private takeImage(block: unknown, why: string): unknown {
    const { image, note } = noteImage(block, why, this.images.length + 1);
    this.images.push(image);
    return note;
  }

  /** Notes the images of a message, those with one reason together. The newest saved images are theirs. */
  private noteImages(head: Head, images: ReadonlyMap<number, string>): void {
    const own = this.images.slice(this.images.length - images.size);
    const whys = new Map<string, string[]>();
    for (const [at, why] of [...images.values()].entries()) addTo(whys, why, own[at]?.name ?? '');
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

  private noteThinking(sent: readonly SentEntry[], unsigned: readonly Head[]): void {
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
  private noteCompleted(head: Head): void {
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

/** A message of the context, and the entry that has it. */
interface SentEntry {
  readonly message: LlmMessage;
  readonly head: Head | null;
  /** Where its content can be changed: in the message of the entry, or in the history that it records; null for nowhere. */
  readonly holder: 'entry' | 'history' | null;
}

/** The facts about the records of an entry as they are stored. */
interface RecordTraits {
  readonly flaws: ReadonlySet<RecordFlaw>;
  readonly recordsHistory: boolean;
}

const NO_CALLS: ReadonlySet<string> = new Set();

/** Whether the empty texts of a message are those of an answer with line breaks or spaces, as Claude streams them. */
function hasOnlyBlankParts(message: LlmMessage): boolean {
  return message.role === 'assistant' && listBlocks(message).every(({ type, text }) => type !== 'text' || text !== '');
}
