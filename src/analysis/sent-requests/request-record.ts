import * as z from 'zod/mini';
import { asObject, type JsonObject } from '#base/json.js';
import { applyList, diffList, type ItemChange } from '../diff/list-diff.js';
import { hashRequest, hashValue } from './hash-request.js';
import type { RequestContent } from './request-content.js';

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
const difference = z.object({
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

/**
 * The `data` of a record of a request. Values are named by their SHA-256, and stored by the first record that names
 * them.
 */
const requestRecord = z.object({
  schemaVersion: z.literal(1),
  /** The hash of the request as it was sent: see `hashRequest`. */
  sha256: hash,
  /** The number of its messages. */
  messages: z.int(),
  differs: z.optional(difference),
  values: z.optional(z.record(z.string(), z.unknown())),
});

export type RequestRecord = z.infer<typeof requestRecord>;
type Difference = z.infer<typeof difference>;
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
  const differs: Difference = {};
  if (sent.system !== shown.system) differs.system = keep(sent.system);
  if (isOtherTools) differs.tools = sent.tools.map(keep);
  if (sent.reasoning !== shown.reasoning) differs.reasoning = sent.reasoning;
  if (messages.length > 0) differs.messages = messages;
  if (sent.systemAt !== undefined) differs.systemAt = [...sent.systemAt];
  return { ...record, differs, values };
}

const NOTHING: RequestContent = { system: '', tools: [], messages: [], reasoning: null };
const SAMENESS = { text: hashValue, identity: () => null, isLike: () => false };

function toMessageChange(change: ItemChange<JsonObject>, keep: (value: object) => string): MessageChange {
  if (change.kind === 'removed') return { from: change.from };
  if (change.kind === 'added') return { to: change.to, sha256: keep(change.after) };
  const { from, to } = change;
  return change.kind === 'changed' ? { from, to, sha256: keep(change.after) } : { from, to };
}

/** The request that was sent, from the one that the session shows and its record. null: a value is missing. */
export function restoreRequest(
  shown: RequestContent,
  { differs = {} }: RequestRecord,
  values: ReadonlyMap<string, unknown>,
): RequestContent | null {
  const { system, tools, reasoning, messages = [], systemAt } = differs;
  const hashes = [system ?? [], tools ?? [], messages.flatMap((one) => one.sha256 ?? [])].flat();
  if (hashes.some((each) => !values.has(each))) return null;
  const objectOf = (name: string | undefined): JsonObject => {
    const value = name === undefined ? null : values.get(name);
    return asObject(value);
  };
  const content = {
    system: system === undefined ? shown.system : String(values.get(system)),
    tools: tools?.map(objectOf) ?? shown.tools,
    reasoning: reasoning === undefined ? shown.reasoning : reasoning,
    messages: applyList(
      shown.messages,
      messages.map((change) => toItemChange(change, shown.messages, objectOf)),
    ),
  };
  return systemAt === undefined ? content : { ...content, systemAt };
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
export function describeRequestDifference({ system, tools, reasoning, messages, systemAt }: Difference): string {
  const parts = [
    system !== undefined && 'the prompt',
    tools !== undefined && 'the tools',
    reasoning !== undefined && 'the thinking level',
    systemAt !== undefined && 'the place of the prompt and the tools',
    messages !== undefined && `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}
