import { asString } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { BrokenLink } from '#session/agents/faults.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

/** A broken link between records, with the ids of their entries. */
export interface NamedLink extends BrokenLink {
  readonly entryId: string;
  /** The parent that the entry names. */
  readonly fromId: string;
  /** The entry that it follows in a copy; null for a root. */
  readonly toId: string | null;
}

/** Names the records of broken links by the ids of their entries, which all other screens show. */
export function nameLinks(session: Session, links: readonly BrokenLink[]): readonly NamedLink[] {
  if (links.length === 0) return [];
  const { native, tree } = session;
  const entries = new Map<number, Head[]>();
  for (const head of tree.heads) {
    for (const { offset } of native?.of(head) ?? []) addTo(entries, offset, head);
  }
  const offsets = new Map<string, number>();
  for (const { value, offset } of native?.all() ?? []) offsets.set(asString(value.uuid) ?? '', offset);
  const listEntries = (uuid: string): readonly Head[] => entries.get(offsets.get(uuid) ?? -1) ?? [];
  // A record without an entry is named as the file names it.
  const nameLast = (uuid: string): string => formatId(listEntries(uuid).at(-1)?.id) ?? uuid.slice(0, 8);
  return links.map((link) => {
    const uuid = asString(link.record.value.uuid) ?? '';
    const own = listEntries(uuid);
    // The first of several entries of a record names the parent.
    const orphan = own.find(({ parentId }) => formatId(parentId) !== null && !tree.heads.has(parentId));
    return {
      ...link,
      entryId: formatId((orphan ?? own[0])?.id) ?? uuid.slice(0, 8),
      fromId: formatId(orphan?.parentId) ?? nameLast(link.from),
      toId: link.to === null ? null : nameLast(link.to),
    };
  });
}
