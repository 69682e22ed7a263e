import { findSessionImageLimits, type ImageLimits, isAboutBytes } from '#analysis/check/provider/image-limits.js';
import { addTo } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { FoundFault } from '#session/agents/copy.js';
import { formatId, type Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { type CopyDraft, draftEditedCopy, type SessionToCopy } from '../copy/copy-draft.js';
import { buildDraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain } from '../plan/new-entries.js';
import { type CallRepairs, findCallRepairs, insertResults } from './call-repairs.js';
import { listRefusedImages, noteImage, type SavedImage } from './copy-images.js';
import { repairBlocks } from './repair-blocks.js';

/** A change that lets a session go on. */
export interface CopyRepair extends FoundFault {
  /** The fault, as a sentence. */
  readonly why: string;
  /** The repair, in a few words. */
  readonly done: string;
  /** null for a line without an entry. */
  readonly entryId: string | null;
  /** Of the lines that a copy has. */
  readonly line: number;
}

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
  const draft = buildDraft(session, buildEntryChain(session, leafId, bodies, stamps));
  const edited = draftEditedCopy(draft);
  const changes = {
    ...edited.changes,
    dropped: new Set([...edited.changes.dropped, ...calls.orphans]),
    answered: calls.answered,
  };
  const repairs = [...listLinkRepairs(session), ...calls.repairs, ...repair.repairs];
  return {
    copy: { changes, after: insertResults(session, edited.after, calls.answered) },
    repairs: repairs.toSorted((a, b) => a.line - b.line),
    images: repair.images,
    imagesLeft: repair.imagesLeft,
  };
}

function listLinkRepairs({ linked }: SessionToCopy): readonly CopyRepair[] {
  return linked.map(({ record, from, to }): CopyRepair => {
    const done = to === null ? 'it begins the session now' : `it follows "${to.slice(0, 8)}" now, the record before it`;
    const entryId = String(record.value['uuid']).slice(0, 8);
    const why = `its parent "${from.slice(0, 8)}" is not in the file, or follows it`;
    return { rule: 'orphan', why, done, entryId, line: record.line };
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
  imagesLeft = 0;
  private readonly limits: ImageLimits;
  private readonly flawed: ReadonlySet<number>;
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
      return from ? [{ message, head: findEditable(session, from) }] : [];
    });
    const unsigned = sent.filter(({ head }) => head && this.hasFlaw(head, 'unsigned thinking'));
    this.flawed = new Set(sent.flatMap(({ head }) => (head && this.hasFlaw(head, 'empty text') ? [head.index] : [])));
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
    for (const [at, { message, head }] of sent.entries()) {
      const own = images.get(at) ?? new Map<number, string>();
      if (head) this.repair(message, head, own);
      else this.imagesLeft += own.size;
    }
    if (this.dropsThinking) this.noteThinking(sent, unsigned[0]?.head ?? null);
  }

  private hasFlaw(head: Head, flaw: 'unsigned thinking' | 'empty text'): boolean {
    const { native, copier } = this.session;
    return native?.of(head).some((span) => copier.findFlaws(native.valueAt(span)).includes(flaw)) ?? false;
  }

  private repair(message: LlmMessage, head: Head, images: ReadonlyMap<number, string>): void {
    const repaired = repairBlocks(message, {
      replace: (block, at) => {
        const why = images.get(at);
        return why === undefined ? null : this.takeImage(block, why);
      },
      dropsThinking: this.dropsThinking,
      droppedCalls: this.calls.doubled.get(head.index) ?? NO_CALLS,
      dropsEmptyTexts: this.flawed.has(head.index),
    });
    if (repaired.isSame) return;
    this.edits.push({ head, content: repaired.content });
    const isGone = repaired.content === null;
    for (const { rule, why, done } of repaired.notes) {
      const isOnly = isGone && rule === 'duplicate-call-id';
      this.note({ rule, ...(isOnly && { cause: 'only call' as const }) }, { why, done }, head);
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

  private noteThinking(sent: readonly SentEntry[], unsigned: Head | null): void {
    const thoughts = sent.flatMap(({ message, head }) =>
      message.role === 'assistant' && head
        ? listBlocks(message).flatMap(({ type }) => (type === 'thinking' ? head : []))
        : [],
    );
    const first = unsigned ?? thoughts[0];
    if (!first) return;
    const why = unsigned ? 'thinking has no valid signature' : 'thinking is left out, as --drop says';
    const done = `${pluralize(thoughts.length, 'block')} of thinking left out of all answers`;
    this.note({ rule: 'lost-signature' }, { why, done }, first);
  }

  private note(fault: FoundFault, said: Pick<CopyRepair, 'why' | 'done'>, head: Head): void {
    this.repairs.push({ ...fault, ...said, entryId: formatId(head.id), line: head.line });
  }
}

/** A message of the context; the entry is null where another entry made it. */
interface SentEntry {
  readonly message: LlmMessage;
  readonly head: Head | null;
}

const NO_CALLS: ReadonlySet<string> = new Set();

/** The entry whose message can be changed; null for a message that another entry made. */
function findEditable(session: SessionToCopy, { origin, line, entryId }: Provenance): Head | null {
  if (origin !== 'entry' && origin !== 'edit') return null;
  return findHeadAtLine(session, line, entryId) ?? null;
}
