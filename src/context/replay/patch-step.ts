import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { type Head, idText } from '#session/table/head.js';
import type { EnvelopeContent } from './content.js';

/** One step of a persisted transform: an op that is ready to apply, or the boundary rule that it breaks. */
export type PatchStep =
  | {
      readonly ok: true;
      readonly name: string;
      readonly region: 'system' | 'tools' | 'messages' | 'options';
      readonly replacesRegion: boolean;
      /** The session says no more than what it replaces with: a baseline, where one is supplied, is shown instead. */
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

/** Reads the patch of a `context_transform` entry. The op shelf provides it, so that replay knows no op by name. */
export type ReadPatch = (entry: JsonObject) => readonly PatchStep[];

/** Whether a transform has a broken op, and no op that changes messages: a compaction that repeats it has to act then. */
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
