import { asString, isObject, type JsonObject } from '#base/json.js';
import type { ReadPatch } from '#context/replay/patch-step.js';

/** The part that wrote a transform while an agent ran: a hook module by the name of its file, or an engine by its id. */
export interface WrittenBy {
  readonly hook?: string;
  readonly engine?: string;
}

/** Reads the ops of transforms, but none of those that a part wrote which runs again. */
export function withoutWrittenBy(readPatch: ReadPatch, isAgain: (writer: WrittenBy) => boolean): ReadPatch {
  return (entry) => {
    const { writtenBy } = entry;
    return isObject(writtenBy) && isAgain(writtenBy) ? [] : readPatch(entry);
  };
}

/** The `customType` of the entry that names the hooks and the engine of the requests after it. */
export const LIVE_TYPE = 'ctx.live';

/** The hook modules, by the names of their files, and the engine that change what a running agent sends. */
export interface InCharge {
  readonly hooks: readonly string[];
  readonly engine: string | null;
}

/** The hooks and the engine that an entry names; null: it is another entry. */
export function inChargeIn({ customType, data }: JsonObject): InCharge | null {
  if (customType !== LIVE_TYPE || !isObject(data)) return null;
  const { hooks, engine } = data;
  return { hooks: Array.isArray(hooks) ? hooks.map(String) : [], engine: asString(engine) };
}
