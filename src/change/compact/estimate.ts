import { measureJson } from '#base/json-text.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import { CHARACTERS_PER_TOKEN, countMessageTokens } from '#context/size/tokens.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { ProjectedEntry } from './projection.js';

interface Context {
  readonly entries: readonly ProjectedEntry[];
  readonly path: readonly Head[];
  /** Whether an entry changes what was there before it, so that a provider's number from above does not hold below. */
  isChange(head: Head): boolean;
  /** Estimated tokens of prompt and tools (default: those of the system messages). */
  readonly declared?: number;
}

/** Tokens of a context: the newest number of a provider that holds, else an estimate. Pi's `estimateProjectedContextTokens`. */
export function estimateContext({ entries, path, isChange, declared }: Context): number {
  const { tokens, source } = estimateMessages(entries);
  if (source?.head.id && !source.isMade) {
    const place = path.findIndex(({ index }) => index === source.head.index);
    if (place > path.findLastIndex((head) => isChange(head))) return tokens;
  }
  const messages = entries.flatMap((entry) => entry.messages);
  const system = declared === undefined ? joinSystemMessages(messages) : null;
  const rest = messages.filter(({ role }) => role !== 'system');
  return (
    (declared ?? (system ? estimateTokens(system) : 0)) + rest.reduce((sum, each) => sum + estimateTokens(each), 0)
  );
}

/** An estimate that trusts the newest number of a provider, with the message that has it. Pi's `estimateContextTokens`. */
export function estimateMessages(entries: readonly ProjectedEntry[]): {
  readonly tokens: number;
  readonly source: ProjectedEntry | null;
  readonly usage: StoredMessage | null;
} {
  const at = entries.findLastIndex(({ messages }) => messages.some((message) => usageOf(message) !== null));
  const source = entries[at] ?? null;
  const usage = source?.messages.find((message) => usageOf(message) !== null) ?? null;
  const billed = usage ? (usageOf(usage) ?? 0) : 0;
  return { tokens: billed + sumEstimates(entries.slice(at + 1)), source, usage };
}

/** Estimated tokens of all messages of some entries. */
export function sumEstimates(entries: readonly ProjectedEntry[]): number {
  let sum = 0;
  for (const { messages } of entries) for (const message of messages) sum += estimateTokens(message);
  return sum;
}

const CHARACTERS_PER_IMAGE = 4800;

/** Estimated tokens of a message in the agent's own form. Pi's `estimateTokens`. */
export function estimateTokens(message: StoredMessage): number {
  if (message['role'] === 'assistant') return countMessageTokens(message);
  return Math.ceil(charactersOf(message) / CHARACTERS_PER_TOKEN);
}

function charactersOf(message: StoredMessage): number {
  switch (message['role']) {
    case 'user':
    case 'custom':
    case 'toolResult':
      return charactersIn(message['content']);
    case 'system': {
      const { sections, toolsAdded } = message;
      const texts = isObject(sections) ? Object.values(sections) : [];
      const inSections = texts.reduce<number>((sum, text) => sum + (asString(text) ?? '').length, 0);
      return charactersIn(message['content']) + inSections + (toolsAdded ? measureJson(toolsAdded) : 0);
    }
    case 'bashExecution':
      return lengthOf(message['command']) + lengthOf(message['output']);
    case 'branchSummary':
    case 'compactionSummary':
      return lengthOf(message['summary']);
    default:
      return 0;
  }
}

function charactersIn(content: unknown): number {
  if (typeof content === 'string') return content.length;
  return listObjects(content).reduce((sum, { type, text }) => {
    if (type === 'image') return sum + CHARACTERS_PER_IMAGE;
    return type === 'text' ? sum + lengthOf(text) : sum;
  }, 0);
}

function lengthOf(text: unknown): number {
  return (asString(text) ?? '').length;
}

function usageOf(message: StoredMessage): number | null {
  return readRecordedTokens(message as LlmMessage);
}

/** One system message that joins all of them, or null if there is none. Pi's `getCurrentSystemMessage`. */
export function joinSystemMessages(messages: readonly StoredMessage[]): JsonObject | null {
  const all = messages.filter(({ role }) => role === 'system');
  const [first] = all;
  if (!first) return null;
  const texts = all.map(({ content }) => contentText(content)).filter((text) => text !== '');
  const sections = new Map<string, unknown>();
  const tools = new Map<unknown, JsonObject>();
  for (const message of all) {
    for (const [name, text] of Object.entries(asObject(message['sections']))) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
    for (const { name } of listObjects(message['toolsRemoved'])) tools.delete(name);
    for (const tool of listObjects(message['toolsAdded'])) tools.set(tool['name'], tool);
  }
  return {
    role: 'system',
    content: texts.join('\n\n'),
    ...(sections.size > 0 ? { sections: Object.fromEntries(sections) } : {}),
    ...(tools.size > 0 ? { toolsAdded: [...tools.values()] } : {}),
    timestamp: first['timestamp'] ?? 0,
  };
}

/** The texts of a message's content. Pi's `contentText`. */
export function contentText(content: unknown, separator = '\n'): string {
  if (typeof content === 'string') return content;
  const blocks = listObjects(content).filter(({ type }) => type === 'text');
  return blocks.map(({ text }) => asString(text) ?? '').join(separator);
}
