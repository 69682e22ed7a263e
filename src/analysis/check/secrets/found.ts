import type { Means } from '#analysis/secrets/define.js';
import { anchorsOf } from '#analysis/secrets/find-secrets.js';
import { mask } from '#analysis/secrets/mask.js';
import { type PlacedSecret, secretsInEntry } from '#analysis/secrets/secrets-in-entry.js';
import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/table/head.js';
import type { Hit, RuleThat } from '../define.js';

/** How a rule looks for what is found by one means. */
export function lookingFor(means: Means, fix: string): Pick<RuleThat<'entry'>, 'looksAt' | 'anchors' | 'find'> {
  return {
    looksAt: 'entry',
    anchors: anchorsOf(means),
    find: async (entry: JsonObject, head: Head) => hitsOf(await secretsOf(entry), means, head, fix),
  };
}

/** An entry is shown to several rules one after another, and searched once, for all: what one finds is none of another's. */
const searched = new WeakMap<JsonObject, Promise<readonly PlacedSecret[]>>();

function secretsOf(entry: JsonObject): Promise<readonly PlacedSecret[]> {
  const known = searched.get(entry);
  if (known) return known;
  const found = secretsInEntry(entry);
  searched.set(entry, found);
  return found;
}

/** One for each secret of a text, however often it is there. */
function* hitsOf(secrets: readonly PlacedSecret[], means: Means, head: Head, fix: string): Generator<Hit> {
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.means !== means) continue;
    const value = secret.text.slice(secret.start, secret.end);
    const key = `${secret.place}\n${value}`;
    if (known.has(key)) continue;
    known.add(key);
    yield { message: `secret in plain text: ${secret.kind} ${mask(value)}`, at: head, place: secret.place, fix };
  }
}
