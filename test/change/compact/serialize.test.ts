import { describe, expect, it } from 'vitest';
import { serializeConversation } from '#change/compact/summarizers/prompts.js';
import type { LlmMessage } from '#context/replay/content.js';

function result(text: string): LlmMessage {
  return { role: 'toolResult', content: [{ type: 'text', text }] };
}

describe('a conversation as text', () => {
  it('names who speaks, and leaves out what says nothing', () => {
    const calls = [
      { type: 'toolCall', name: 'read', arguments: { path: 'a "b".ts', n: 1 } },
      { type: 'toolCall', name: 'bash', arguments: {} },
    ];
    const messages: LlmMessage[] = [
      { role: 'user', content: 'q' },
      { role: 'user', content: [{ type: 'image', data: '' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 't1' },
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 't2' },
          ...calls,
        ],
      },
      { role: 'assistant', content: [] },
      result(''),
      result('done'),
    ];
    expect(serializeConversation(messages)).toBe(
      String.raw`[User]: q

[Assistant]: t1
t2

[Assistant tool calls]: read(path="a \"b\".ts", n=1); bash()

[Tool result]: done`,
    );
  });

  it('cuts long results, never inside a character', () => {
    const text = `${'x'.repeat(1999)}🙂${'x'.repeat(100)}`;
    expect(serializeConversation([result(text)])).toBe(
      `[Tool result]: ${'x'.repeat(1999)}\n\n[... 101 more characters truncated]`,
    );
    expect(serializeConversation([result('x'.repeat(2000))])).toBe(`[Tool result]: ${'x'.repeat(2000)}`);
  });
});
