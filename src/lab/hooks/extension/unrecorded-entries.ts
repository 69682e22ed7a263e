import { canonicalJson } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** The drafts of an extension that are not among recorded entries already. */
export function listUnrecordedEntries(
  session: Session,
  drafts: readonly JsonObject[],
  recorded: readonly Head[],
): readonly JsonObject[] {
  const similar = recorded.filter(({ type }) => drafts.some((draft) => draft.type === type));
  const texts = new Set(similar.map((head) => toComparableText(session.entry(head))));
  return drafts.filter((draft) => !texts.has(toComparableText(draft)));
}

/** Fields of an entry that its writer adds. */
const WRITER_FIELDS: ReadonlySet<string> = new Set(['id', 'parentId', 'timestamp']);

function toComparableText(entry: JsonObject): string {
  return canonicalJson(Object.fromEntries(Object.entries(entry).filter(([name]) => !WRITER_FIELDS.has(name))));
}
