import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { type Head, idText } from '#session/table/head.js';
import type { EnvelopeContent } from './content.js';

/** One step of a stored transform: an op that is ready to apply, or the rule that it breaks. */
export type PatchStep =
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
  | BrokenStep;

export interface BrokenStep {
  readonly ok: false;
  readonly rule: string;
  readonly message: string;
}

/** Reads the patch of a `context_transform` entry. The ops are supplied, so that replay does not depend on them. */
export type ReadPatch = (entry: JsonObject) => readonly PatchStep[];

/** Whether a transform has a broken op, and no op that changes messages: then a compaction that repeats it applies. */
export function isWithoutEffect(steps: readonly PatchStep[]): boolean {
  return !steps.every(({ ok }) => ok) && !steps.some((step) => step.ok && step.region === 'messages');
}

/** The error for an op that breaks a rule. */
export function ruleBroken(
  file: string,
  { head, at, broken }: { readonly head: Head; readonly at: number; readonly broken: BrokenStep },
): CtxError {
  return new CtxError('input', broken.message, {
    where: `${file}:${head.line}: entry ${idText(head.id)}, op ${at}, rule ${broken.rule}`,
    hint: 'repair the patch, or pass --lenient to skip such ops',
  });
}
