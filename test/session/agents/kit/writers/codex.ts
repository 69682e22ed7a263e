import type { JsonObject } from '#base/json.js';
import type { Conversation, Message, TestedAgent, Tokens } from '../define.js';
import { toLines } from './lines.js';

type Totals = Readonly<Record<string, number>>;

function addTokens(
  totals: Totals,
  { input, cacheRead, output }: Tokens,
): { readonly last: Totals; readonly all: Totals } {
  const last: Totals = {
    input_tokens: input + cacheRead,
    cached_input_tokens: cacheRead,
    output_tokens: output,
    reasoning_output_tokens: 0,
    total_tokens: input + cacheRead + output,
  };
  return {
    last,
    all: Object.fromEntries(Object.entries(last).map(([key, count]) => [key, (totals[key] ?? 0) + count])),
  };
}

function listItems(message: Message): readonly JsonObject[] {
  const { text } = message;
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
  if (message.role === 'toolResult') return [{ type: 'function_call_output', call_id: message.call.id, output: text }];
  const { thinking, call } = message;
  return [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: thinking }], encrypted_content: 'gAAAAABsZWQ=' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
    ...(call
      ? [{ type: 'function_call', name: call.name, arguments: JSON.stringify(call.input), call_id: call.id }]
      : []),
  ];
}

/** The count of an answer is written twice, with the same totals. */
function write({ id, cwd, messages }: Conversation): string {
  const [{ time: timestamp } = { time: '' }] = messages;
  const meta = { id, timestamp, cwd, originator: 'codex_cli_rs', cli_version: '0.104.0', model_provider: 'openai' };
  const records: JsonObject[] = [
    { timestamp, type: 'session_meta', payload: meta },
    { timestamp, type: 'turn_context', payload: { turn_id: 't', cwd, model: 'gpt-5.2-codex' } },
  ];
  let totals: Totals = {};
  for (const message of messages) {
    const add = (type: string, payload: JsonObject): void =>
      void records.push({ timestamp: message.time, type, payload });
    for (const item of listItems(message)) add('response_item', item);
    if (message.role === 'user') add('event_msg', { type: 'user_message', message: message.text });
    if (message.role !== 'assistant') continue;
    const { last, all } = addTokens(totals, message.tokens);
    totals = all;
    const count = { type: 'token_count', info: { total_token_usage: all, last_token_usage: last } };
    add('event_msg', count);
    add('event_msg', count);
  }
  return toLines(records);
}

export const codex: TestedAgent = {
  name: 'codex',
  fixtures: ['codex/rollout.jsonl', 'codex/version-0.50.jsonl'],
  place: (id) => `.codex/sessions/2026/04/02/rollout-2026-04-02T09-00-00-${id}.jsonl`,
  write,
  list: null,
  unknownRecord: { timestamp: '2026-04-02T09:00:00.000Z', type: 'thing_of_tomorrow', payload: { words: 'Unknown' } },
  tomorrow: ['"cli_version":"0.104.0"', '"cli_version":"9.0.0"'],
  // The output of a tool is a text, which says itself that it failed.
  lacks: ['failures'],
};
