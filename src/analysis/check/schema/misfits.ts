import { isObject, type JsonObject } from '#base/json.js';
import { entryOfVersion3 } from '#context/format/entries.js';
import { message } from '#context/format/messages.js';
import { modelOfChange } from '#session/model-change.js';
import type { Head } from '#session/table/head.js';
import type { Hit } from '../define.js';
import { type Flaw, flawsOf } from './flaws.js';
import { type Misfit, misfitOf } from './misfit.js';

const NONE: readonly never[] = [];

/** What one of the schema rules has to say of an entry. */
export function hitsOf(rule: Misfit['rule'], entry: JsonObject, head: Head): readonly Hit[] {
  const misfits = misfitsOf(entry);
  if (misfits.length === 0) return NONE;
  return misfits.flatMap((misfit) =>
    misfit.rule === rule ? { message: misfit.message, at: head, place: misfit.place } : [],
  );
}

/** The newest entry that was read: one rule after another asks for the same. */
let newest: { readonly entry: JsonObject; readonly misfits: readonly Misfit[] } | null = null;

function misfitsOf(entry: JsonObject): readonly Misfit[] {
  if (newest?.entry === entry) return newest.misfits;
  const flaws = [...flawsOf(entryOfVersion3, inWordsOfPi(entry)), ...flawsOfOps(entry)];
  const misfits = flaws.flatMap((flaw) => misfitOf(entry, flaw) ?? []);
  newest = { entry, misfits };
  return misfits;
}

/** oh-my-pi names the model of a change in one field. Every text of that shape is taken for one. */
function inWordsOfPi(entry: JsonObject): JsonObject {
  const isOfOhMyPi = entry['type'] === 'model_change' && typeof entry['model'] === 'string';
  return isOfOhMyPi ? { provider: '', ...modelOfChange(entry), ...entry } : entry;
}

/** The schemas of ops do not look into messages, since replay takes them as they are. */
function* flawsOfOps({ type, patch }: JsonObject): Generator<Flaw> {
  if (type !== 'context_transform' || !Array.isArray(patch)) return;
  for (const [at, op] of patch.entries()) {
    const messages: unknown = isObject(op) ? op['messages'] : null;
    if (!Array.isArray(messages)) continue;
    for (const [index, stored] of messages.entries()) yield* flawsOf(message, stored, ['patch', at, 'messages', index]);
  }
}
