import { type JsonObject, listObjects } from '#base/json.js';
import { readOnce } from '../one-document.js';

/** A text of a message that was replaced. */
export interface TextChange {
  readonly message: number;
  readonly block: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** Lists the changes in `context_history.json`: `[message, [kind, [[block, [[time, "text", [text], …], …]], …]]]`. */
export const listTextChanges = readOnce((document): readonly TextChange[] => {
  const found: TextChange[] = [];
  for (const [message, kinds] of listTuples(document['edits'])) {
    for (const [block, changes] of listTuples(itemAt(kinds, 1))) {
      for (const [time, kind, texts] of listTuples(changes)) {
        const text = itemAt(texts, 0);
        if (kind !== 'text' || typeof text !== 'string') continue;
        found.push({ message: Number(message), block: Number(block), time: Number(time), text });
      }
    }
  }
  return found;
});

function listTuples(value: unknown): readonly (readonly unknown[])[] {
  return Array.isArray(value) ? value.filter((item): item is unknown[] => Array.isArray(item)) : [];
}

function itemAt(list: unknown, index: number): unknown {
  return Array.isArray(list) ? list[index] : undefined;
}

/** Applies changes to a message. The last one of each block counts. */
export function applyChanges(message: JsonObject, changes: readonly TextChange[]): JsonObject {
  const { content } = message;
  if (changes.length === 0 || !Array.isArray(content)) return message;
  const texts = new Map(changes.map(({ block, text }) => [block, text] as const));
  return {
    ...message,
    content: listObjects(content).map((block, at) => (texts.has(at) ? setText(block, texts.get(at) ?? '') : block)),
  };
}

function setText(block: JsonObject, text: string): JsonObject {
  if (block['type'] === 'text') return { ...block, text };
  const [first, ...others] = listObjects(block['content']);
  if (block['type'] !== 'tool_result' || first?.['type'] !== 'text') return block;
  return { ...block, content: [{ ...first, text }, ...others] };
}
