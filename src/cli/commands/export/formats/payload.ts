import { asString, byCodeUnits, canonicalJson, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { jsonPieces } from '#ui/doc/json-pieces.js';

/** A payload as it is written: keys in one order, on one line. What a terminal would obey is an escape. */
export function payloadPieces(payload: JsonObject): Generator<string> {
  return jsonPieces(payload, {
    indent: 0,
    write: canonicalJson,
    entries: (value) => Object.entries(value).toSorted(byCodeUnits),
  });
}

/** All messages in the order in which they are sent. */
export function messagesOf({ messages }: ContextEnvelope): readonly LlmMessage[] {
  return [...messages.cached, ...messages.uncached];
}

/** Text as providers take it: without halves of surrogate pairs. */
export function textOf({ text }: JsonObject): string {
  return wellFormed(asString(text) ?? '');
}

export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** All text blocks, one below the other, as they are stored. */
export function joinedText(blocks: readonly JsonObject[]): string {
  return blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => asString(text) ?? '')
    .join('\n');
}

export function isImage({ type }: JsonObject): boolean {
  return type === 'image';
}

/** A picture as an address that holds it. */
export function dataUrl({ mimeType, data }: JsonObject): string {
  return `data:${asString(mimeType) ?? ''};base64,${asString(data) ?? ''}`;
}

/** An option of the envelope that is a number; undefined where it is none. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
