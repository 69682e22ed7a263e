import { canonicalJson, compareKeys } from '#base/canonical-json.js';
import { buildWarning } from '#base/errors.js';
import { asString, type JsonObject } from '#base/json.js';
import { findModelInfo } from '#context/models/registry.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { renderJsonPieces } from '#ui/doc/json.js';
import type { RequestToExport } from './define.js';
import type { Recipient } from './recipient.js';

/**
 * Serialises a payload: keys in a fixed order, on one line, with control characters escaped. A member that is undefined is left
 * out.
 */
export function formatPayload(payload: JsonObject): Generator<string> {
  return renderJsonPieces(payload, {
    indent: 0,
    write: canonicalJson,
    entries: (value) => Object.entries(value).toSorted(compareKeys),
  });
}

/** All messages in the order in which they are sent. */
export function listLlmMessages({ messages }: ContextEnvelope): readonly LlmMessage[] {
  return [...messages.cached, ...messages.uncached];
}

/** Text as providers take it: without halves of surrogate pairs. */
export function readBlockText({ text }: JsonObject): string {
  return replaceLoneSurrogates(asString(text) ?? '');
}

export function replaceLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '');
}

/** All text blocks, one below the other, as they are stored. */
export function joinBlockTexts(blocks: readonly JsonObject[]): string {
  return blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => asString(text) ?? '')
    .join('\n');
}

/** Whether a value holds no text to send. */
export function isBlankText(text: unknown): boolean {
  return (asString(text) ?? '').trim() === '';
}

export function isImage({ type }: JsonObject): boolean {
  return type === 'image';
}

/** A picture as an address that holds it. */
export function toDataUrl({ mimeType, data }: JsonObject): string {
  return `data:${asString(mimeType) ?? ''};base64,${asString(data) ?? ''}`;
}

/** A numeric option of the envelope; undefined for any other value. */
export function toOptionNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * The limit of the answer that a request sets, if any, one that its model allows, and a warning if it is known to allow
 * less.
 */
export function findOutputLimit({ envelope, maxTokens }: RequestToExport, { provider, model }: Recipient) {
  const limit = toOptionNumber(envelope.options.maxTokens) ?? maxTokens;
  const most = findModelInfo({ provider, modelId: model })?.maxOutput ?? Infinity;
  const text = `the request allows an answer of ${limit} tokens, and ${model} at most ${most}`;
  return {
    limit,
    usual: Math.min(USUAL_LIMIT, most),
    problems: limit !== undefined && limit > most ? [buildWarning('output-limit', text)] : [],
  };
}

/** Most models allow it. */
const USUAL_LIMIT = 32_000;
