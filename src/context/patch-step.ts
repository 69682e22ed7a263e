import type { JsonObject } from '../session/values.js';
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
