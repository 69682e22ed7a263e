import { asString, byCodeUnits, canonicalJson, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { jsonPieces } from '#ui/doc/json.js';

/** Serialises a payload: keys in a fixed order, on one line, with control characters escaped. */
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

/** A numeric option of the envelope; undefined for any other value. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Fifty-odd bits of a text in base 36, for names that only have to differ: cyrb53, as Pi names what has too long a name. */
export function shortHash(text: string): string {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 2_654_435_761);
    high = Math.imul(high ^ unit, 1_597_334_677);
  }
  const mixedLow = mixed(low, high);
  return (mixed(high, mixedLow) >>> 0).toString(36) + (mixedLow >>> 0).toString(36);
}

function mixed(one: number, other: number): number {
  return Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
}
