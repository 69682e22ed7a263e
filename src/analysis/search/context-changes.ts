import { addTo } from '#base/maps.js';
import { once } from '#base/memoize.js';
import type { OpenSession } from '#context/open.js';
import { readEditReplacement } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { onlyAddsMessage } from '#context/replay/entry-kinds.js';
import type { Replay } from '#context/replay/replay.js';
import { walk, type WalkStep } from '#context/walk.js';
import { toEntry } from '#session/entry.js';
import { buildHeadKey, buildPlaceKey, formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildTextForm, listSentMessageTexts, type TextForm } from './text-form.js';

/** The sent form of an entry: as stored, as edited, or nothing. */
export type SentForm = 'stored' | 'gone' | Head;

export interface FormChange {
  readonly by: Head;
  readonly form: SentForm;
}

/** The content of the context at a place of the path, or up to it. */
export interface ContextState {
  readonly by: Head;
  readonly at: number;
  form(): TextForm;
}

export interface FormChanges {
  /** The fate of each entry's message, by its `buildPlaceKey`, in path order. */
  readonly byEntry: ReadonlyMap<string, readonly FormChange[]>;
  /** The messages that compactions and transforms removed; only for a path with transforms. */
  readonly removals: readonly ContextState[];
}

export function isEditedForm(form: SentForm | undefined): form is Head {
  return typeof form === 'object';
}

/** Collects the fate of the messages of a path. */
export function collectFormChanges(session: OpenSession, path: readonly Head[]): FormChanges {
  // Only a transform reads the content of messages.
  const hasTransforms = path.some(({ type }) => type === 'context_transform');
  const found = new MessageChanges(session, hasTransforms);
  for (const step of walk(hasTransforms ? session : omitTexts(session), path).steps) found.take(step);
  return found;
}

/** Compares the sent messages before and after each compaction and transform; an edit can only change its target. */
class MessageChanges implements FormChanges {
  readonly byEntry = new Map<string, FormChange[]>();
  readonly removals: ContextState[] = [];
  private readonly edits = new Map<string | null, Head>();

  constructor(
    private readonly session: Session,
    private readonly hasTransforms: boolean,
  ) {}

  take(step: WalkStep): void {
    const { type } = step.head;
    if (type === 'context_edit') this.takeEdit(step);
    else if (type === 'compaction' || type === 'context_transform') this.takeChange(step);
  }

  private takeEdit(step: WalkStep): void {
    const { head } = step;
    const replay = step.take();
    this.edits.set(formatId(head.id), head);
    const { heads } = this.session.tree;
    const target = heads.at(heads.targetAt(head.index));
    if (!target) return;
    const replacement = readEditReplacement(step.entry);
    const changedForm = replacement === undefined ? 'stored' : head;
    const form = replacement === null ? 'gone' : changedForm;
    // An edit does not restore a message that a compaction removed.
    const key = buildHeadKey(target);
    const isThere =
      this.findForm(key) !== 'gone' || replay.messages.listProvenance().some((from) => buildPlaceKey(from) === key);
    if (isThere) this.note(key, head, form);
  }

  private takeChange(step: WalkStep): void {
    const { head, index: at, replay } = step;
    const before = replay.messages.listProvenance();
    const sent = this.listSent(replay);
    step.take();
    const after = new Map<string, SentForm>();
    for (const from of replay.messages.listProvenance()) {
      const edit = from.origin === 'edit' ? this.edits.get(from.editId ?? null) : undefined;
      after.set(buildPlaceKey(from), edit ?? 'stored');
    }
    for (const key of before.map(buildPlaceKey)) {
      if (!after.has(key)) this.note(key, head, 'gone');
    }
    for (const [key, form] of after) {
      if (key !== buildHeadKey(head)) this.note(key, head, form);
    }
    if (!this.hasTransforms) return;
    const kept = new Set(this.listSent(replay));
    const removed = sent.filter((message) => !kept.has(message));
    if (removed.length > 0)
      this.removals.push({ by: head, at, form: once(() => buildTextForm(listSentMessageTexts(removed))) });
  }

  private listSent(replay: Replay): readonly LlmMessage[] {
    return this.hasTransforms ? replay.content().messages.cached : [];
  }

  private findForm(key: string): SentForm {
    return this.byEntry.get(key)?.at(-1)?.form ?? 'stored';
  }

  private note(key: string, by: Head, form: SentForm): void {
    if (isSame(this.findForm(key), form)) return;
    addTo(this.byEntry, key, { by, form });
  }
}

function isSame(one: SentForm, other: SentForm): boolean {
  return isEditedForm(one) && isEditedForm(other) ? one.index === other.index : one === other;
}

/** A session with empty messages, so that none of their lines has to be parsed. */
function omitTexts(session: OpenSession): OpenSession {
  return {
    ...session,
    entry: (head) =>
      onlyAddsMessage(head)
        ? toEntry({ type: head.type, message: { role: head.role, content: '' }, content: '', summary: 'any' })
        : session.entry(head),
  };
}
