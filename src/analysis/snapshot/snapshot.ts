import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { asString, canonicalJson, type DeepReadonly } from '#base/json.js';
import { type EnvelopeContent, envelopeContent } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/hash.js';

/** A thing by its hash, with as much of it as a person needs to know it again. */
const digestItem = z.object({ name: z.string(), sha256: z.string(), begins: z.string() });

const digest = z.object({
  parts: z.array(digestItem),
  tools: z.array(digestItem),
  options: z.array(digestItem),
  cached: z.array(digestItem),
  uncached: z.array(digestItem),
});

/** What a model was shown at a revision, kept to be compared with later replays. */
export const snapshot = z.object({
  schema: z.literal('ctx/snapshot'),
  schemaVersion: z.literal(1),
  /** As it was asked for. */
  revision: z.string(),
  entryId: z.nullable(z.string()),
  /** Of the canonical JSON of the whole content. */
  sha256: z.string(),
  /** Everything, or everything by its hash. */
  kept: z.union([
    z.object({ as: z.literal('content'), content: envelopeContent }),
    z.object({ as: z.literal('hash'), digest }),
  ]),
});

export type Snapshot = DeepReadonly<z.infer<typeof snapshot>>;
export type Digest = DeepReadonly<z.infer<typeof digest>>;
export type DigestItem = DeepReadonly<z.infer<typeof digestItem>>;
export type SnapshotForm = Snapshot['kept']['as'];

export function snapshotOf(
  content: EnvelopeContent,
  place: { readonly revision: string; readonly entryId: string | null },
  form: SnapshotForm,
): Snapshot {
  const { system, tools, messages, options } = content;
  return {
    schema: 'ctx/snapshot',
    schemaVersion: 1,
    ...place,
    sha256: hashEnvelope(content),
    kept:
      form === 'content'
        ? { as: form, content: { system, tools, messages, options } }
        : { as: form, digest: digestOf(content) },
  };
}

export function digestOf({ system, tools, messages, options }: EnvelopeContent): Digest {
  return {
    parts: system.parts.map((part) => digestItemOf(part.name, part, part.text)),
    tools: tools.map((tool) => digestItemOf(tool.name, tool, asString(tool['description']) ?? '')),
    options: Object.entries(options).map(([name, value]) => digestItemOf(name, value, canonicalJson(value))),
    cached: messages.cached.map((message) => digestItemOf(message.role, message, beginningOf(message['content']))),
    uncached: messages.uncached.map((message) => digestItemOf(message.role, message, beginningOf(message['content']))),
  };
}

const MOST_CHARACTERS = 60;

function digestItemOf(name: string, value: unknown, words: string): DigestItem {
  return { name, sha256: createHash('sha256').update(canonicalJson(value)).digest('hex'), begins: cut(words) };
}

function beginningOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const { text } = (first ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : canonicalJson(first ?? null);
}

/** Never ends in half a character. */
function cut(words: string): string {
  return words.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}
