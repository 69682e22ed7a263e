import { asString, type JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import type { PortableMessage } from '#session/agents/conversation.js';
import type { LossCounter } from './losses.js';

type Answer = Extract<PortableMessage, { role: 'assistant' }>;
type Result = Extract<PortableMessage, { role: 'toolResult' }>;

/** Answers that follow each other, and the messages up to the next answer. */
interface Exchange {
  readonly answers: Answer[];
  readonly others: Exclude<PortableMessage, Answer>[];
}

/**
 * Lets the results of calls follow their answers at once, as providers require, and gives each call an id of its own. Calls
 * without a result, and results without a call, are left out, and so are answers that had nothing else.
 */
export function pairCalls(messages: readonly PortableMessage[], losses: LossCounter): PairedMessages {
  const ids = new CallIds();
  const pairs = listExchanges(messages).map((exchange) => pairExchange(exchange, ids, losses));
  return {
    messages: pairs.flatMap((pair) => pair.messages),
    moved: sumBy(pairs, ({ moved }) => moved),
  };
}

/** Messages, and the number of results that come before messages which they followed. */
interface PairedMessages {
  readonly messages: readonly PortableMessage[];
  readonly moved: number;
}

function listExchanges(messages: readonly PortableMessage[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let last: Exchange = { answers: [], others: [] };
  for (const message of messages) {
    if (message.role !== 'assistant') {
      last.others.push(message);
      continue;
    }
    if (last.others.length > 0) {
      exchanges.push(last);
      last = { answers: [], others: [] };
    }
    last.answers.push(message);
  }
  return [...exchanges, last];
}

function pairExchange({ answers, others }: Exchange, ids: CallIds, losses: LossCounter): PairedMessages {
  const { results, late, rest } = collectResults(others, losses);
  const kept: Answer[] = [];
  const paired: Result[] = [];
  let moved = 0;
  for (const answer of answers) {
    const content: JsonObject[] = [];
    for (const block of answer.content) {
      if (block.type !== 'toolCall') {
        content.push(block);
        continue;
      }
      const call = asString(block.id) ?? '';
      const result = results.get(call);
      if (!result) {
        losses.add('calls');
        continue;
      }
      results.delete(call);
      if (late.has(call)) moved += 1;
      const id = ids.next(call);
      content.push({ ...block, id });
      paired.push({ ...result, toolCallId: id, toolName: asString(block.name) ?? '' });
    }
    if (content.length > 0) kept.push({ ...answer, content });
  }
  losses.add('results', results.size);
  return { messages: [...kept, ...paired, ...rest], moved };
}

/** The messages after answers. */
interface CollectedResults {
  /** The results, by the ids of their calls. */
  readonly results: Map<string, Result>;
  /** The ids of calls whose results come after another message. */
  readonly late: ReadonlySet<string>;
  readonly rest: readonly PortableMessage[];
}

function collectResults(others: Exchange['others'], losses: LossCounter): CollectedResults {
  const results = new Map<string, Result>();
  const late = new Set<string>();
  const rest: PortableMessage[] = [];
  for (const message of others) {
    if (message.role !== 'toolResult') rest.push(message);
    else if (results.has(message.toolCallId)) losses.add('results');
    else {
      results.set(message.toolCallId, message);
      if (rest.length > 0) late.add(message.toolCallId);
    }
  }
  return { results, late, rest };
}

/** New ids of calls, which every provider accepts: agents may count from one again in each answer. */
class CallIds {
  private readonly used = new Set<string>();

  next(call: string): string {
    const base = toProviderName(call) || 'call';
    let id = base;
    for (let again = 2; this.used.has(id); again += 1) id = `${base.slice(0, MOST_CHARACTERS - 8)}_${again}`;
    this.used.add(id);
    return id;
  }
}

/** A name of letters, digits, `_` and `-`, as providers accept it for tools and for ids of calls. */
export function toProviderName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MOST_CHARACTERS);
}

const MOST_CHARACTERS = 64;
