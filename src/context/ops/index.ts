import * as z from 'zod/mini';
import { type EnvelopeContent, llmMessage, patchPart, toolDefinition } from '../replay/content.js';
import { toSummaryMessage } from '../replay/convert.js';
import { readPatchPart, setPart, setParts } from '../replay/system-messages.js';

/** The region of the envelope that an op changes. */
type Region = 'system' | 'tools' | 'messages' | 'options';

/** A patch op: its fields, its effect, and an example for the laws. */
interface OpDefinition<Fields extends z.core.$ZodShape = z.core.$ZodShape> {
  readonly name: string;
  /** `cached` ops change content that a provider caches, so they must give a reason; only they are stored. */
  readonly scope: 'cached' | 'uncached';
  readonly region: Region;
  /** true: the op replaces the whole region. */
  readonly replacesRegion?: true;
  /** true: messages that the op drops are compacted, and a message that it adds is their summary. */
  readonly compacts?: true;
  readonly summary: string;
  readonly fields: Fields;
  /** Returns the new content. Never changes its input. */
  apply(envelope: EnvelopeContent, op: z.infer<z.ZodMiniObject<Fields>>): EnvelopeContent;
  readonly example: z.input<z.ZodMiniObject<Fields>>;
}

/** An op with the schema of its whole JSON form. */
export interface Op extends OpDefinition {
  readonly schema: z.ZodMiniType;
}

function defineOp<Fields extends z.core.$ZodShape>(definition: OpDefinition<Fields>): Op {
  const { name, scope, summary, fields } = definition;
  const reason = scope === 'cached' ? { invalidateCacheReason: z.string().check(z.regex(/\S/)) } : {};
  const schema = z.looseObject({ op: z.literal(name), scope: z.literal(scope), ...reason, ...fields });
  schema.register(z.globalRegistry, { title: name, description: summary });
  // Ops with different fields are in one list; `readPatch` passes each only what its own schema accepted.
  return { ...definition, schema };
}

const systemPartSet = defineOp({
  name: 'system_part_set',
  scope: 'cached',
  region: 'system',
  summary: 'Replace a system part in place by name, or append it',
  fields: { partName: z.string(), text: z.string() },
  apply(envelope, { partName, text }) {
    const { parts } = envelope.system;
    return setParts(envelope, setPart(parts, { name: partName, text }));
  },
  example: { partName: 'policy', text: '\n\n# Policy\n\nNever print secrets.' },
});

const systemPartRemove = defineOp({
  name: 'system_part_remove',
  scope: 'cached',
  region: 'system',
  summary: 'Remove a system part by name',
  fields: { partName: z.string() },
  apply: (envelope, { partName }) =>
    setParts(
      envelope,
      envelope.system.parts.filter(({ name }) => name !== partName),
    ),
  example: { partName: 'policy' },
});

const systemPartsReplace = defineOp({
  name: 'system_parts_replace',
  scope: 'cached',
  region: 'system',
  replacesRegion: true,
  summary: 'Replace all system parts',
  fields: { parts: z.array(patchPart) },
  apply: (envelope, { parts }) => setParts(envelope, parts.map(readPatchPart)),
  example: { parts: [{ name: 'base', text: 'You are a careful assistant.' }] },
});

const toolsReplace = defineOp({
  name: 'tools_replace',
  scope: 'cached',
  region: 'tools',
  replacesRegion: true,
  summary: 'Replace all tool definitions',
  fields: { tools: z.array(toolDefinition) },
  apply: (envelope, { tools }) => ({ ...envelope, tools }),
  example: { tools: [{ name: 'read', description: 'Read a file', parameters: { type: 'object', properties: {} } }] },
});

const toolsRemove = defineOp({
  name: 'tools_remove',
  scope: 'cached',
  region: 'tools',
  summary: 'Remove tool definitions by name',
  fields: { toolNames: z.array(z.string()) },
  apply(envelope, { toolNames }) {
    const removed = new Set(toolNames);
    return { ...envelope, tools: envelope.tools.filter(({ name }) => !removed.has(name)) };
  },
  example: { toolNames: ['bash'] },
});

const messagesCachedReplace = defineOp({
  name: 'messages_cached_replace',
  scope: 'cached',
  region: 'messages',
  replacesRegion: true,
  summary: 'Replace the whole cached message list',
  fields: { messages: z.array(llmMessage) },
  apply: (envelope, { messages }) => ({ ...envelope, messages: { ...envelope.messages, cached: messages } }),
  example: { messages: [{ role: 'user', content: 'Start over.', timestamp: 0 }] },
});

const messagesUncachedAppend = defineOp({
  name: 'messages_uncached_append',
  scope: 'uncached',
  region: 'messages',
  summary: 'Append messages to one request only; never stored',
  fields: { messages: z.array(llmMessage) },
  apply: (envelope, { messages }) => ({
    ...envelope,
    messages: { ...envelope.messages, uncached: [...envelope.messages.uncached, ...messages] },
  }),
  example: { messages: [{ role: 'user', content: 'For this request only.', timestamp: 0 }] },
});

const OPTIONS = ['reasoning', 'temperature', 'maxTokens'] as const;

const optionsSet = defineOp({
  name: 'options_set',
  scope: 'cached',
  region: 'options',
  summary: 'Set generation options; null removes an option',
  fields: {
    reasoning: z.optional(z.nullable(z.string())),
    temperature: z.optional(z.nullable(z.number())),
    maxTokens: z.optional(z.nullable(z.number())),
  },
  apply(envelope, op) {
    const options: Record<string, unknown> = { ...envelope.options };
    for (const name of OPTIONS) {
      if (op[name] === null) delete options[name];
      else if (op[name] !== undefined) options[name] = name === 'maxTokens' ? Math.floor(op[name]) : op[name];
    }
    return { ...envelope, options };
  },
  example: { reasoning: 'high', temperature: null },
});

const compactionApply = defineOp({
  name: 'compaction_apply',
  scope: 'cached',
  region: 'messages',
  compacts: true,
  summary: 'Replace the cached messages before an index with a summary',
  fields: {
    summary: z.string(),
    timestamp: z.number(),
    firstKeptMessageIndex: z.number(),
    tokensBefore: z.optional(z.nullable(z.number())),
  },
  apply(envelope, { summary, timestamp, firstKeptMessageIndex }) {
    const kept = envelope.messages.cached.slice(Math.max(0, Math.floor(firstKeptMessageIndex)));
    return {
      ...envelope,
      messages: { ...envelope.messages, cached: [toSummaryMessage(summary, timestamp), ...kept] },
    };
  },
  example: { summary: 'The tests were fixed.', timestamp: 0, firstKeptMessageIndex: 2, tokensBefore: 21000 },
});

export const ops: readonly Op[] = [
  systemPartSet,
  systemPartRemove,
  systemPartsReplace,
  toolsReplace,
  toolsRemove,
  messagesCachedReplace,
  messagesUncachedAppend,
  optionsSet,
  compactionApply,
];

/** The JSON form of a patch: ops in the order in which they apply. */
export const patch = z.array(z.union(ops.map(({ schema }) => schema)));
