import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { canonicalJson, isJsonEqual } from '#base/canonical-json.js';
import { asObject, asString, type JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { applySystemMessage } from '#context/replay/system-messages.js';
import { applyList, diffList, type ItemChange } from '../diff/list-diff.js';

/** The content of a request as it is compared: the prompt as one text, and no options that Pi does not record. */
export interface RequestContent {
  readonly system: string;
  readonly tools: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** The thinking level; null for none. */
  readonly reasoning: string | null;
  /**
   * The places of the system messages, each as the number of messages before it. Left out where they are all at the
   * beginning, or where the session has them.
   */
  readonly systemAt?: readonly number[];
}

/** The request that an envelope shows. Its tools are those that have an implementation. */
export function toRequestContent({ system, tools, messages, options }: EnvelopeContent): RequestContent {
  return { system: system.compiled, tools, messages: messages.cached, reasoning: asString(options.reasoning) };
}

/**
 * The request that Pi passes to a provider: a transcript with system messages. Messages that equal those of `shown` at
 * their place are the same objects, so that their hashes are known. `projected`: the transcript as Pi has it.
 */
export function readPiRequest(
  transcript: readonly JsonObject[],
  reasoning: unknown,
  shown: RequestContent & { readonly projected?: readonly JsonObject[] },
): RequestContent {
  const { projected = [] } = shown;
  const systemAt = listSystemPlaces(transcript);
  const isUsual = systemAt.every((at) => at === 0) || String(systemAt) === String(listSystemPlaces(projected));
  const { system, tools } = transcript
    .filter(({ role }) => role === 'system')
    .reduce(applySystemMessage, EMPTY_ENVELOPE);
  const messages = transcript
    .filter(({ role }) => role !== 'system')
    .map((message, at) => preferShown(message, shown.messages[at]));
  return {
    system: system.compiled,
    tools: tools.map((tool, at) => preferShown(tool, shown.tools[at])),
    messages,
    reasoning: asString(reasoning),
    ...(isUsual ? {} : { systemAt }),
  };
}

/** A model that accepts system messages anywhere receives them there, and others receive them at the beginning. */
function listSystemPlaces(transcript: readonly JsonObject[]): readonly number[] {
  const places: number[] = [];
  for (const [at, { role }] of transcript.entries()) if (role === 'system') places.push(at - places.length);
  return places;
}

function preferShown(value: JsonObject, shown: JsonObject | undefined): JsonObject {
  return shown !== undefined && isJsonEqual(value, shown) ? shown : value;
}

const hashes = new WeakMap<object, string>();

/** SHA-256 of the canonical JSON of a value that no longer changes. Known for a value that was hashed before. */
function hashValue(value: object | string): string {
  if (typeof value === 'string') return hashText(value);
  const known = hashes.get(value);
  if (known !== undefined) return known;
  const hash = hashText(canonicalJson(value));
  hashes.set(value, hash);
  return hash;
}

/** The chain of hashes that ends at a message, with the chain before it. */
const chains = new WeakMap<object, { readonly before: string; readonly chain: string }>();

/**
 * SHA-256 of a request. Messages are hashed as a chain, so a request that adds messages to an earlier one hashes
 * only those.
 */
export function hashRequest({ system, tools, messages, reasoning, systemAt }: RequestContent): string {
  let chain = '';
  for (const message of messages) {
    const known = chains.get(message);
    if (known?.before === chain) {
      chain = known.chain;
      continue;
    }
    const before = chain;
    chain = hashText(`${before}${hashValue(message)}`);
    chains.set(message, { before, chain });
  }
  const places = systemAt === undefined ? [] : [`system at:${systemAt.join(' ')}`];
  const parts = [hashValue(system), ...tools.map(hashValue), `reasoning:${reasoning}`, `messages:${chain}`, ...places];
  return hashText(parts.join('\n'));
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The `customType` of a record: what was really sent in a request. */
export const REQUEST_TYPE = 'ctx.request';

const hash = z.string();

/** The change of a message: by its place in the request that the session shows, and in the one that was sent. */
const messageChange = z.object({
  from: z.optional(z.int()),
  to: z.optional(z.int()),
  /** The message as it was sent. */
  sha256: z.optional(hash),
});

/** The difference between the request that the session shows and the one that was sent. */
const differs = z.object({
  /** The prompt as it was sent. */
  system: z.optional(hash),
  /** The tools as they were sent. */
  tools: z.optional(z.array(hash)),
  /** The thinking level as it was sent. */
  reasoning: z.optional(z.nullable(z.string())),
  messages: z.optional(z.array(messageChange)),
  /** The places of the system messages as they were sent, each as the number of messages before it. */
  systemAt: z.optional(z.array(z.int())),
});

/** The `data` of a record of a request. Values are named by their SHA-256, and stored by the first record that names them. */
const requestRecord = z.object({
  schemaVersion: z.literal(1),
  /** Of the request as it was sent: see `hashRequest`. */
  sha256: hash,
  /** The number of its messages. */
  messages: z.int(),
  differs: z.optional(differs),
  values: z.optional(z.record(z.string(), z.unknown())),
});

export type RequestRecord = z.infer<typeof requestRecord>;
type MessageChange = z.infer<typeof messageChange>;

/** The record in an entry; null for another entry, and for a record that cannot be read. */
export function readRequestRecord({ customType, data }: JsonObject): RequestRecord | null {
  return customType === REQUEST_TYPE ? (requestRecord.safeParse(data).data ?? null) : null;
}

/** The record of a request. `stored`: the hashes of values in earlier records of the branch. */
export function buildRequestRecord(
  shown: RequestContent,
  sent: RequestContent,
  stored: ReadonlySet<string>,
): RequestRecord {
  const sha256 = hashRequest(sent);
  const record = { schemaVersion: 1 as const, sha256, messages: sent.messages.length };
  if (sha256 === hashRequest(shown)) return record;
  const values: Record<string, unknown> = {};
  const keep = (value: object | string): string => {
    const name = hashValue(value);
    if (!stored.has(name)) values[name] = value;
    return name;
  };
  const messages = diffList<JsonObject>(shown.messages, sent.messages, SAMENESS).map((change) =>
    toMessageChange(change, keep),
  );
  const isOtherTools =
    hashRequest({ ...NOTHING, tools: sent.tools }) !== hashRequest({ ...NOTHING, tools: shown.tools });
  return {
    ...record,
    differs: {
      ...(sent.system !== shown.system && { system: keep(sent.system) }),
      ...(isOtherTools && { tools: sent.tools.map(keep) }),
      ...(sent.reasoning !== shown.reasoning && { reasoning: sent.reasoning }),
      ...(messages.length > 0 && { messages }),
      ...(sent.systemAt !== undefined && { systemAt: [...sent.systemAt] }),
    },
    values,
  };
}

const NOTHING: RequestContent = { system: '', tools: [], messages: [], reasoning: null };
const SAMENESS = { text: hashValue, identity: () => null, isLike: () => false };

function toMessageChange(change: ItemChange<JsonObject>, keep: (value: object) => string): MessageChange {
  if (change.kind === 'removed') return { from: change.from };
  if (change.kind === 'added') return { to: change.to, sha256: keep(change.after) };
  return { from: change.from, to: change.to, ...(change.kind === 'changed' && { sha256: keep(change.after) }) };
}

/** The request that was sent, from the one that the session shows and its record. null: a value is missing. */
export function restoreRequest(
  shown: RequestContent,
  { differs: difference = {} }: RequestRecord,
  values: ReadonlyMap<string, unknown>,
): RequestContent | null {
  const { system, tools, reasoning, messages = [], systemAt } = difference;
  const named = [
    ...(system === undefined ? [] : [system]),
    ...(tools ?? []),
    ...messages.flatMap((one) => one.sha256 ?? []),
  ];
  if (named.some((name) => !values.has(name))) return null;
  const objectOf = (name: string | undefined): JsonObject => {
    const value = name === undefined ? null : values.get(name);
    return asObject(value);
  };
  return {
    system: system === undefined ? shown.system : String(values.get(system)),
    tools: tools?.map(objectOf) ?? shown.tools,
    reasoning: reasoning === undefined ? shown.reasoning : reasoning,
    messages: applyList(
      shown.messages,
      messages.map((change) => toItemChange(change, shown.messages, objectOf)),
    ),
    ...(systemAt === undefined ? {} : { systemAt }),
  };
}

function toItemChange(
  { from, to, sha256 }: MessageChange,
  shown: readonly JsonObject[],
  objectOf: (name: string | undefined) => JsonObject,
): ItemChange<JsonObject> {
  const before = shown[from ?? -1] ?? {};
  if (to === undefined) return { kind: 'removed', from: from ?? -1, before };
  if (from === undefined) return { kind: 'added', to, after: objectOf(sha256) };
  if (sha256 === undefined) return { kind: 'moved', from, to, item: before };
  return { kind: 'changed', from, to, before, after: objectOf(sha256), isMoved: false };
}

/** Describes a difference: `the prompt, 2 messages`. */
export function describeRequestDifference({
  system,
  tools,
  reasoning,
  messages,
  systemAt,
}: NonNullable<RequestRecord['differs']>): string {
  const parts = [
    ...(system === undefined ? [] : ['the prompt']),
    ...(tools === undefined ? [] : ['the tools']),
    ...(reasoning === undefined ? [] : ['the thinking level']),
    ...(systemAt === undefined ? [] : ['the place of the prompt and the tools']),
    ...(messages === undefined ? [] : [`${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`]),
  ];
  return parts.join(', ');
}
