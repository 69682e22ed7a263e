import { Random } from '../../../support/random.js';
import type { Call, Conversation, Message } from './define.js';

const START = Date.UTC(2026, 3, 2, 9);
const WORDS = ['harbour', 'naïve', '🙂 "quoted"', String.raw`back\slash`, 'two\nlines', '<tag>', "it's", '{"a":1}'];

/** A conversation of some turns, each with a call. The same seed gives the same one. `padding`: a text in each message. */
export function buildConversation(seed: number, turns: number, padding = ''): Conversation {
  const random = new Random(seed);
  const messages: Message[] = [];
  const time = (): string => new Date(START + messages.length * 1000).toISOString();
  const text = (name: string): string => `${name} ${messages.length} ${random.pick(WORDS)}${padding}`;
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push({ role: 'user', text: text('question'), time: time() });
    const call: Call = { id: `call_${turn}`, name: 'look', input: { where: text('input') } };
    messages.push({ role: 'assistant', text: text('remark'), ...thought(text('idea')), call, time: time() });
    const isError = random.chance(0.2);
    messages.push({ role: 'toolResult', text: text('result'), call, isError, time: time() });
    messages.push({ role: 'assistant', text: text('answer'), ...thought(text('idea')), call: null, time: time() });
  }
  return { id: `0b1c2d3e-0000-4000-8000-${String(seed).padStart(12, '0')}`, cwd: '/home/ada/shop', messages };

  function thought(thinking: string) {
    const tokens = { input: random.int(1, 999), cacheRead: random.int(0, 9999), output: random.int(1, 999) };
    return { thinking, tokens };
  }
}
