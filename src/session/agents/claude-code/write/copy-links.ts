import { asObject, asString, type JsonObject, listTexts } from '#base/json.js';
import { replaceMember, type WrittenRecord } from '../../written-records.js';

/** The links between the records of a copy, in which no record names one that the copy lacks. */
export class CopyLinks {
  /** The parent of each record that the copy lacks, by uuid. */
  private readonly parents = new Map<string, string | null>();
  /** The new records that others follow, by the uuid of the one that follows. */
  private readonly moved = new Map<string, string>();

  /** Takes a record out of the copy: what follows it follows `parent`. */
  remove(uuid: string, parent: string | null): void {
    this.parents.set(uuid, parent);
  }

  /** Lets a record follow a new one. */
  move(uuid: string, parent: string): void {
    this.moved.set(uuid, parent);
  }

  /** Whether the copy lacks a record. */
  lacks(uuid: string): boolean {
    return this.parents.has(uuid);
  }

  /** The record itself if the copy has it, else the nearest one before it; null if there is none. */
  findKept(uuid: string | null): string | null {
    let next = uuid;
    for (let steps = 0; next !== null && this.parents.has(next) && steps <= this.parents.size; steps += 1)
      next = this.parents.get(next) ?? null;
    return next;
  }

  /** Returns a record that names only records of the copy. */
  relink(record: WrittenRecord): WrittenRecord {
    const { value } = record;
    let linked = this.shortenList(record);
    const parent = asString(value['parentUuid']);
    const moved = this.moved.get(asString(value['uuid']) ?? '');
    if (parent !== null && moved !== undefined) linked = replaceMember(linked, 'parentUuid', parent, moved);
    for (const name of LINKS) {
      const uuid = asString(value[name]);
      if (uuid !== null && this.lacks(uuid)) linked = replaceMember(linked, name, uuid, this.findKept(uuid));
    }
    return linked;
  }

  /** Removes the records that the copy lacks from the list that a compaction keeps. */
  private shortenList(record: WrittenRecord): WrittenRecord {
    const { preservedSegment, ...metadata } = asObject(record.value['compactMetadata']);
    const { preservedMessages } = metadata;
    const uuids = listTexts(asObject(preservedMessages)['uuids']);
    const named = [...uuids, ...Object.values(asObject(preservedSegment))];
    if (!named.some((uuid) => this.lacks(String(uuid)))) return record;
    // Version 2.1.237 opens no session whose boundary names messages without these lists.
    const { anchorUuid } = asObject(preservedSegment);
    const lists = this.shortenLists(asObject(preservedMessages ?? { anchorUuid, uuids: [], allUuids: [] }));
    return { value: { ...record.value, compactMetadata: { ...metadata, preservedMessages: lists } }, raw: null };
  }

  private shortenLists(lists: JsonObject): JsonObject {
    const shorten = (list: unknown): unknown =>
      Array.isArray(list) ? listTexts(list).filter((uuid) => !this.lacks(uuid)) : list;
    return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, shorten(list)]));
  }
}

/** The members of a record that name another one. */
const LINKS = ['parentUuid', 'logicalParentUuid', 'leafUuid'] as const;
