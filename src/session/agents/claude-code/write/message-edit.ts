import { canonicalJson } from '#base/canonical-json.js';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { contentOf, listContentBlocks, toUserContent } from '../content/content.js';
import { isResultBlock } from '../records/fields.js';
import { toNativeBlock, toPlainContent } from './new-records.js';

/** The changes of the message of one record. */
export interface MessageEdit {
  /** The new content of results, by their call; null removes one. */
  readonly results: Map<string, readonly JsonObject[] | null>;
  /** The places of the results that are removed, since no call waits for them. */
  readonly orphans: Set<number>;
  /** The new blocks beside results, in the form of the API; null removes them, undefined keeps them. */
  rest: readonly unknown[] | null | undefined;
}

export function editMessage(record: JsonObject, edit: MessageEdit): JsonObject {
  return { ...record, message: { ...asObject(record['message']), content: editContent(record, edit) } };
}

/** Whether an edit leaves nothing of a message. */
export function isEmptied(record: JsonObject, edit: MessageEdit): boolean {
  return listContentBlocks(editContent(record, edit)).length === 0;
}

/** The content of a message after an edit: the rest follows the results. */
function editContent(record: JsonObject, edit: MessageEdit): unknown {
  const { rest } = edit;
  const content = contentOf(record);
  if (typeof content === 'string') {
    if (rest === null) return [];
    return rest === undefined ? content : toPlainContent(rest);
  }
  const blocks: unknown[] = [];
  let place = 0;
  for (const block of listObjects(content)) {
    if (isResultBlock(block)) {
      const result = edit.orphans.has(place) ? null : editResult(block, edit);
      if (result) blocks.push(result);
      place += 1;
    } else if (rest === undefined) blocks.push(block);
  }
  return rest ? [...blocks, ...rest] : blocks;
}

/** null for a result that is removed. */
function editResult(block: JsonObject, { results }: MessageEdit): JsonObject | null {
  const content = results.get(asString(block['tool_use_id']) ?? '');
  if (content === undefined) return block;
  return content && { ...block, content: toPlainContent(toStoredBlocks(content, block['content'])) };
}

/** Turns a new content into blocks of the API. A block that stays is kept as it is stored, such as a document. */
export function toStoredBlocks(content: readonly JsonObject[], before: unknown): readonly unknown[] {
  const stored = new Map<string, JsonObject[]>();
  for (const block of listObjects(before)) addTo(stored, toPiJson(block), block);
  return content.map((block) => stored.get(canonicalJson(block))?.shift() ?? toNativeBlock(block));
}

/** Spreads the new content of an answer over its records: a block that stays remains in its record. */
export function spreadContent(
  content: readonly JsonObject[],
  records: readonly JsonObject[],
): readonly (readonly unknown[])[] {
  const stored = records.flatMap((record, at) =>
    listContentBlocks(contentOf(record)).map((block) => ({ at, block, json: toPiJson(block) })),
  );
  const spread: unknown[][] = records.map(() => []);
  let next = 0;
  let record = 0;
  for (const block of content) {
    const json = canonicalJson(block);
    const place = stored.findIndex((each, at) => at >= next && each.json === json);
    const kept = stored[place];
    if (kept) {
      next = place + 1;
      record = kept.at;
    }
    spread[record]?.push(kept ? kept.block : toNativeBlock(block));
  }
  return spread;
}

/** A block of the API as canonical JSON of what `ctx` reads from it. */
function toPiJson(block: unknown): string {
  const [read] = toUserContent([block]) as readonly JsonObject[];
  return canonicalJson(read ?? null);
}
