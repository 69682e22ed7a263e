import { asCount, isObject, type JsonObject } from '#base/json.js';
import { type Entry, readTransformerName } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { AppliedCompaction, AppliedEdit, AppliedTransform } from './envelope.js';
import type { MessageList } from './message-list.js';
import type { PatchOp } from './patch-op.js';

/** The facts about a transform on the path of an envelope. */
export function toAppliedTransform(head: Head, entry: Entry, steps: readonly PatchOp[]): AppliedTransform {
  const applied = steps.filter((step) => step.ok);
  const reasons = applied.flatMap(({ reason }) => reason ?? []);
  return {
    entryId: formatId(head.id),
    line: head.line,
    transformerName: readTransformerName(entry),
    ops: applied.map(({ name }) => name),
    invalidateCacheReasons: [...new Set(reasons)],
    ...(isObject(entry.display) ? { display: readDisplay(entry.display) } : {}),
  };
}

/** The facts about a compaction on the path of an envelope. */
export function toAppliedCompaction(
  head: Head,
  { tokensBefore }: Entry,
  { shadowed, isReplaced }: { readonly shadowed: boolean; readonly isReplaced: boolean },
): AppliedCompaction {
  return {
    entryId: formatId(head.id),
    line: head.line,
    shadowed,
    // The history of a provider contains what a summary would keep.
    firstKeptEntryId: isReplaced ? null : formatId(head.target),
    tokensBefore: asCount(tokensBefore),
  };
}

interface EditedContext {
  readonly messages: MessageList;
  /** The entries with a system message. */
  readonly systemMessages: ReadonlySet<RawId>;
  isOmitted(id: RawId): boolean;
}

/** The facts about an edit on the path of an envelope. */
export function listAppliedEdits(
  edits: readonly Head[],
  { messages, systemMessages, isOmitted }: EditedContext,
): readonly AppliedEdit[] {
  const effects = messages.findEditEffects();
  return edits.map((head) => {
    const { target } = head;
    if (messages.edits.findInForce(target)?.edit !== head) return toAppliedEdit(head, 'none');
    const isOfPrompt = systemMessages.has(target) && isOmitted(target);
    return toAppliedEdit(head, isOfPrompt ? 'omit' : (effects.get(target) ?? 'none'));
  });
}

function toAppliedEdit(head: Head, effect: AppliedEdit['effect']): AppliedEdit {
  return { entryId: formatId(head.id), line: head.line, targetId: formatId(head.target), effect };
}

const DISPLAY_TEXTS: ReadonlySet<string> = new Set(['title', 'summary', 'markdown']);

/** The title and summary of a transform, if they are texts. */
export function readDisplay(display: JsonObject): NonNullable<AppliedTransform['display']> {
  const sound = Object.entries(display).filter(
    ([field, text]) => typeof text === 'string' || !DISPLAY_TEXTS.has(field),
  );
  return Object.fromEntries(sound);
}
