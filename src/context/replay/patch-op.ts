import { CtxError } from '#base/errors.js';
import { asCount, isObject, type JsonObject } from '#base/json.js';
import { formatId, formatIdWord, type Head, type RawId } from '#session/heads/head.js';
import type { EnvelopeContent } from './content.js';
import type { AppliedCompaction, AppliedEdit, AppliedTransform } from './envelope.js';
import type { MessageList } from './message-list.js';
import { transformerName } from './selection.js';

/** One step of a stored transform: an op that is ready to apply, or the rule that it breaks. */
export type PatchOp =
  | {
      readonly ok: true;
      readonly name: string;
      readonly region: 'system' | 'tools' | 'messages' | 'options';
      readonly replacesRegion: boolean;
      /** The op only restates the session's own region, so a supplied baseline replaces it. */
      readonly yieldsToBaseline: boolean;
      readonly compacts: boolean;
      readonly reason: string | null;
      /** The op in its JSON form. */
      readonly json: JsonObject;
      apply(envelope: EnvelopeContent): EnvelopeContent;
    }
  | BrokenOp;

export interface BrokenOp {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
}

/** Reads the patch of a `context_transform` entry. The ops are supplied, so that replay does not depend on them. */
export type ReadPatch = (entry: JsonObject) => readonly PatchOp[];

/** Whether a transform has a broken op, and no op that changes messages: then a compaction that repeats it applies. */
export function isWithoutEffect(steps: readonly PatchOp[]): boolean {
  return !steps.every(({ ok }) => ok) && !steps.some((step) => step.ok && step.region === 'messages');
}

/** The error for an op that breaks a rule. */
export function toBrokenOpError(
  file: string,
  { head, at, broken }: { readonly head: Head; readonly at: number; readonly broken: BrokenOp },
): CtxError {
  return new CtxError('input', broken.message, {
    where: `${file}:${head.line}: entry ${formatIdWord(head.id)}, op ${at}, rule ${broken.rule}`,
    hint: 'repair the patch, or pass --lenient to skip such ops',
  });
}

/** The facts about a transform on the path of an envelope. */
export function toAppliedTransform(head: Head, entry: JsonObject, steps: readonly PatchOp[]): AppliedTransform {
  const applied = steps.filter((step) => step.ok);
  const reasons = applied.flatMap(({ reason }) => reason ?? []);
  return {
    entryId: formatId(head.id),
    line: head.line,
    transformerName: transformerName(entry),
    ops: applied.map(({ name }) => name),
    invalidateCacheReasons: [...new Set(reasons)],
    ...(isObject(entry['display']) ? { display: readDisplay(entry['display']) } : {}),
  };
}

/** The facts about a compaction on the path of an envelope. */
export function toAppliedCompaction(
  head: Head,
  { tokensBefore }: JsonObject,
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
  const effects = messages.effects();
  return edits.map((head) => {
    const { target } = head;
    if (messages.edits.inForce(target)?.edit !== head) return appliedEdit(head, 'none');
    const isOfPrompt = systemMessages.has(target) && isOmitted(target);
    return appliedEdit(head, isOfPrompt ? 'omit' : (effects.get(target) ?? 'none'));
  });
}

function appliedEdit(head: Head, effect: AppliedEdit['effect']): AppliedEdit {
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

/** The part that wrote a transform while an agent ran: a hook module by the name of its file, or an engine by its id. */
export interface TransformWriter {
  readonly hook?: string;
  readonly engine?: string;
}

/** Reads the ops of transforms, but none of those that a part wrote which runs again. */
export function skipOpsWrittenBy(readPatch: ReadPatch, isAgain: (writer: TransformWriter) => boolean): ReadPatch {
  return (entry) => {
    const { writtenBy } = entry;
    return isObject(writtenBy) && isAgain(writtenBy) ? [] : readPatch(entry);
  };
}
