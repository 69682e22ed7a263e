import { canonicalJson, compareKeys } from '#base/canonical-json.js';
import { buildWarning } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { findModelInfo } from '#context/models/registry.js';
import type { LlmMessage, ToolDefinition } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { renderJsonPieces } from '#ui/doc/json.js';
import type { RequestToExport } from './define.js';
import type { Recipient } from './recipient.js';

/** Serialises a payload: keys in a fixed order, on one line, with control characters escaped. */
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

/** The limit of the answer that a request sets, if any, one that its model allows, and a warning if it is known to allow less. */
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

/** Fifty-odd bits of a text in base 36, for names that only have to differ: cyrb53, as Pi names what has too long a name. */
export function hashName(text: string): string {
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

/** A keyword of a schema that a provider does not take in its strict mode. */
export type RefusesKeyword = (keyword: string, value: unknown) => boolean;

/**
 * The parameters of a tool in the strict subset of JSON Schema, which lists every property as required and lets those that
 * were not be null. Returns null if the tool does not ask for it, or if its schema cannot be expressed so.
 */
export function toStrictSchema(tool: ToolDefinition, refuses: RefusesKeyword = () => false): JsonObject | null {
  const { constrainedSampling, parameters } = tool;
  if (!isObject(constrainedSampling) || constrainedSampling['type'] !== 'json_schema') return null;
  if (!isObject(parameters) || parameters['type'] !== 'object') return null;
  return strict(parameters, refuses);
}

/** Keywords that no strict mode accepts. */
const NEVER: ReadonlySet<string> = new Set([
  '$ref',
  '$defs',
  'definitions',
  'allOf',
  'oneOf',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'prefixItems',
  'not',
  'if',
  'then',
  'else',
]);

function strict(schema: unknown, refuses: RefusesKeyword): JsonObject | null {
  if (!isObject(schema)) return null;
  if (Object.entries(schema).some(([key, value]) => (NEVER.has(key) && value !== undefined) || refuses(key, value)))
    return null;
  const { anyOf, items } = schema;
  if (schema['type'] === undefined && anyOf === undefined && schema['enum'] === undefined) return null;
  const made: Record<string, unknown> = { ...schema };
  if (anyOf !== undefined) {
    const variants = Array.isArray(anyOf) ? anyOf.map((one) => (isStructured(one) ? null : strict(one, refuses))) : [];
    if (variants.length === 0 || variants.includes(null)) return null;
    made['anyOf'] = variants;
  }
  if (items !== undefined) {
    made['items'] = strict(items, refuses);
    if (made['items'] === null) return null;
  }
  if (schema['type'] !== 'object') return schema['properties'] === undefined ? made : null;
  const closed = closedObject(schema, refuses);
  return closed && { ...made, ...closed };
}

/** An object with exactly its properties. */
function closedObject(
  { properties = {}, required = [], additionalProperties = false }: JsonObject,
  refuses: RefusesKeyword,
): JsonObject | null {
  if (additionalProperties !== false || !isObject(properties) || !Array.isArray(required)) return null;
  const names = Object.keys(properties);
  if (!required.every((name) => names.includes(name))) return null;
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const inner = strict(property, refuses);
    if (inner === null) return null;
    made[name] = required.includes(name) || allowsNull(inner) ? inner : { anyOf: [inner, { type: 'null' }] };
  }
  return { properties: made, required: names, additionalProperties: false };
}

function isStructured(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, properties, items } = schema;
  const types = new Set([type].flat());
  return types.has('object') || types.has('array') || properties !== undefined || items !== undefined;
}

function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, const: only, enum: values, anyOf } = schema;
  return (
    [type].flat().includes('null') ||
    only === null ||
    (Array.isArray(values) && values.includes(null)) ||
    (Array.isArray(anyOf) && anyOf.some(allowsNull))
  );
}

/** Whether Anthropic's strict mode rejects a keyword that other strict modes accept. */
export function isRefusedByAnthropic(keyword: string, value: unknown): boolean {
  if (keyword === 'minItems') return value !== 0 && value !== 1;
  if (keyword === 'format') return !FORMATS.has(value);
  return LIMITS.has(keyword);
}

const FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '),
);
const LIMITS: ReadonlySet<string> = new Set(
  (
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf maxItems uniqueItems minContains maxContains ' +
    'minProperties maxProperties'
  ).split(' '),
);
