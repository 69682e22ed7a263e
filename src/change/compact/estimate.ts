import { measureJson } from '#base/json-text.js';
import { asString, isObject, listObjects } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { readRecordedTokens } from '#context/size/recorded-usage.js';
import { CHARACTERS_PER_TOKEN, countMessageTokens } from '#context/size/tokens.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { ProjectedEntry } from './projection.js';
import { joinSystemMessages } from './system-message.js';

interface Context {
  readonly entries: readonly ProjectedEntry[];
  readonly path: readonly Head[];
  /** Whether an entry changes what was there before it, so that a provider's number from above does not hold below. */
  isChange(head: Head): boolean;
  /** Estimated tokens of prompt and tools (default: those of the system messages). */
  readonly declared?: number;
}

/**
 * Tokens of a context: the newest number of a provider that holds, else an estimate. Pi's
 * `estimateProjectedContextTokens`.
 */
export function estimateContext({ entries, path, isChange, declared }: Context): number {
  const { tokens, source } = estimateMessages(entries);
  if (source?.head.id && !source.isMade) {
    const place = path.findIndex(({ index }) => index === source.head.index);
    if (place > path.findLastIndex((head) => isChange(head))) return tokens;
  }
  const messages = entries.flatMap((entry) => entry.messages);
  const others = messages.filter(({ role }) => role !== 'system');
  return (declared ?? estimateSystemMessages(messages)) + sumBy(others, estimateTokens);
}

function estimateSystemMessages(messages: readonly StoredMessage[]): number {
  const system = joinSystemMessages(messages);
  return system ? estimateTokens(system) : 0;
}

/**
 * An estimate that trusts the newest number of a provider, with the message that has it. Pi's `estimateContextTokens`.
 */
export function estimateMessages(entries: readonly ProjectedEntry[]): {
  readonly tokens: number;
  readonly source: ProjectedEntry | null;
  readonly usage: StoredMessage | null;
} {
  const at = entries.findLastIndex(({ messages }) => messages.some((message) => readUsage(message) !== null));
  const source = entries[at] ?? null;
  const usage = source?.messages.find((message) => readUsage(message) !== null) ?? null;
  const billed = usage ? (readUsage(usage) ?? 0) : 0;
  return { tokens: billed + sumEstimates(entries.slice(at + 1)), source, usage };
}

/** Estimated tokens of all messages of some entries. */
export function sumEstimates(entries: readonly ProjectedEntry[]): number {
  return sumBy(entries, ({ messages }) => sumBy(messages, estimateTokens));
}

const CHARACTERS_PER_IMAGE = 4800;

/** Estimated tokens of a message in the agent's own form. Pi's `estimateTokens`. */
export function estimateTokens(message: StoredMessage): number {
  if (message.role === 'assistant') return countMessageTokens(message);
  return Math.ceil(countCharacters(message) / CHARACTERS_PER_TOKEN);
}

function countCharacters(message: StoredMessage): number {
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'toolResult':
      return countContent(message.content);
    case 'system': {
      const { sections, toolsAdded } = message;
      const texts = isObject(sections) ? Object.values(sections) : [];
      const inSections = sumBy(texts, countText);
      return countContent(message.content) + inSections + (toolsAdded ? measureJson(toolsAdded) : 0);
    }
    case 'bashExecution':
      return countText(message.command) + countText(message.output);
    case 'branchSummary':
    case 'compactionSummary':
      return countText(message.summary);
    default:
      return 0;
  }
}

function countContent(content: unknown): number {
  if (typeof content === 'string') return content.length;
  return listObjects(content).reduce((sum, { type, text }) => {
    if (type === 'image') return sum + CHARACTERS_PER_IMAGE;
    return type === 'text' ? sum + countText(text) : sum;
  }, 0);
}

function countText(text: unknown): number {
  return (asString(text) ?? '').length;
}

function readUsage(message: StoredMessage): number | null {
  return readRecordedTokens(message);
}
