import { canonicalJson } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';

/** Fields of an entry that its writer adds. */
const WRITER_FIELDS: ReadonlySet<string> = new Set(['id', 'parentId', 'timestamp']);

/** The entries that an extension appends and that the recording does not have already between a place and the next answer. */
export function listUnrecordedEntries(
  session: Session,
  path: readonly Head[],
  { place, bodies }: { readonly place: number; readonly bodies: readonly JsonObject[] },
): readonly JsonObject[] {
  if (bodies.length === 0) return bodies;
  const below = path.slice(place + 1);
  const end = below.findIndex(answersRequest);
  const recorded = (end === -1 ? below : below.slice(0, end)).filter(({ type }) =>
    bodies.some((body) => body.type === type),
  );
  const texts = new Set(recorded.map((head) => toComparableText(session.entry(head))));
  return bodies.filter((body) => !texts.has(toComparableText(body)));
}

function toComparableText(entry: JsonObject): string {
  return canonicalJson(Object.fromEntries(Object.entries(entry).filter(([name]) => !WRITER_FIELDS.has(name))));
}
