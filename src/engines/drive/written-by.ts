import { asString, isObject, type JsonObject } from '#base/json.js';
import type { ReadPatch } from '#context/replay/patch-step.js';

/** The part that wrote a transform while an agent ran: a hook module by the name of its file, or an engine by its id. */
export interface WrittenBy {
  readonly hook?: string;
  readonly engine?: string;
}

/** The `customType` of the entry that names the engine in charge of the requests after it. */
export const ENGINE_TYPE = 'ctx.engine';

/** The engine that an entry puts in charge; null: it is another entry. */
export function engineIn({ customType, data }: JsonObject): string | null {
  return customType === ENGINE_TYPE && isObject(data) ? asString(data['engine']) : null;
}

/** A transform with the mark of its writer: when that part runs on the recording, it makes its changes again. */
export function markedAs<Body extends object>(
  body: Body,
  writtenBy: WrittenBy,
): Body & { readonly writtenBy: WrittenBy } {
  return { ...body, writtenBy };
}

/** Reads the ops of transforms, but none of those that a part wrote which runs again. */
export function withoutWrittenBy(readPatch: ReadPatch, isAgain: (writer: WrittenBy) => boolean): ReadPatch {
  return (entry) => {
    const writer = writerOf(entry);
    return writer !== null && isAgain(writer) ? [] : readPatch(entry);
  };
}

function writerOf({ writtenBy }: JsonObject): WrittenBy | null {
  if (!isObject(writtenBy)) return null;
  const [hook, engine] = [asString(writtenBy['hook']), asString(writtenBy['engine'])];
  return { ...(hook === null ? {} : { hook }), ...(engine === null ? {} : { engine }) };
}
