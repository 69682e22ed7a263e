import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { Entry } from '#session/entry.js';
import { formatIdWord, type Head } from '#session/heads/head.js';
import type { EnvelopeContent } from './content.js';

/** An op of a stored transform that is ready to apply. */
interface ReadyOp<Region> {
  readonly ok: true;
  readonly name: string;
  /** The part of the context that it changes. */
  readonly region: Region;
  /** Whether it replaces the whole region. */
  readonly replacesRegion: boolean;
  /** The op only restates the session's own region, so a supplied baseline replaces it. */
  readonly yieldsToBaseline: boolean;
  /** Whether messages that it drops are compacted, and a message that it adds is their summary. */
  readonly compacts: boolean;
  /** Its reason to change what a provider caches; null for none. */
  readonly reason: string | null;
  /** The op in its JSON form. */
  readonly json: JsonObject;
  apply(envelope: EnvelopeContent): EnvelopeContent;
}

/** An op that changes no message. */
export type DeclaringOp = ReadyOp<'system' | 'tools' | 'options'>;

/** One step of a stored transform: an op that is ready to apply, or the rule that it breaks. */
export type PatchOp = ReadyOp<'messages'> | DeclaringOp | BrokenOp;

export interface BrokenOp {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
}

/** Reads the patch of a `context_transform` entry. The ops are supplied, so that replay does not depend on them. */
export type ReadPatch = (entry: Entry) => readonly PatchOp[];

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

/**
 * The part that wrote a transform while an agent ran: a hook module by the name of its file, or an engine by its id.
 */
export interface TransformWriter {
  readonly hook?: string;
  readonly engine?: string;
}

/** Reads the ops of transforms, except those written by a part that runs again. */
export function skipOpsWrittenBy(readPatch: ReadPatch, isAgain: (writer: TransformWriter) => boolean): ReadPatch {
  return (entry) => {
    const { writtenBy } = entry;
    return isObject(writtenBy) && isAgain(writtenBy) ? [] : readPatch(entry);
  };
}
