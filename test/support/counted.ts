import { countSession } from '#analysis/stats/count-session.js';
import type { SessionStats } from '#analysis/stats/session-stats.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { Log } from '../fixtures/log.js';
import { opened } from './entries.js';

type Json = Readonly<Record<string, unknown>>;

/** What a provider reports; without `total` nobody says what it cost. */
export function usage(input: number, output: number, cacheRead: number, cacheWrite: number, total?: number): Json {
  return { input, output, cacheRead, cacheWrite, ...(total !== undefined && { cost: { total } }) };
}

export async function counted(text: string): Promise<SessionStats> {
  const session = await opened(text);
  return countSession(session, { method: BY_CHARACTERS, title: 'A title' });
}

/** An entry of every kind that is counted, and of some that are not. */
export function everything(): Log {
  const system = {
    role: 'system',
    content: [
      { type: 'text', text: 'You help.' },
      { type: 'image', text: 'no text' },
    ],
    sections: { rules: 'Be brief.', empty: '', odd: 7 },
    toolsAdded: [{ name: 'read', description: 'Reads a file.' }, { name: 'bash', description: 'Runs.' }, 'odd'],
  };
  return new Log('every')
    .message('s1', system)
    .user('u1', [
      { type: 'text', text: 'Look at this picture, please.' },
      { type: 'image', data: '', mimeType: 'image/png' },
    ])
    .assistant('a1', '', {
      content: [
        { type: 'thinking', thinking: 'I will read the file.' },
        { type: 'text', text: 'Let me see.' },
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'src/a.ts' } },
        { type: 'toolCall', id: 'c2', name: 'bash', arguments: { command: 'ls' } },
      ],
      usage: usage(100, 10, 20, 5, 0.5),
      responseModel: 'claude-sonnet-4-5-20250929',
      stopReason: 'toolUse',
    })
    .message('r1', {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'read',
      content: [{ type: 'text', text: 'const a = 1;' }],
      isError: false,
      usage: usage(7, 3, 2, 1, 0.01),
    })
    .message('r2', { role: 'toolResult', toolCallId: 'c2', toolName: 'bash', content: 'denied', isError: true })
    .message('sh', { role: 'bashExecution', command: 'make', output: 'ok', exitCode: 0 })
    .entry('cm', 'custom_message', { customType: 'note', content: 'A note of an extension.', display: true })
    .entry('br', 'branch_summary', { summary: 'It was tried.', fromId: 'x', usage: usage(30, 4, 0, 0, 0.02) })
    .compaction('k1', 'Short.', 'u1', {
      usage: usage(50, 5, 0, 0, 0.03),
      systemMessage: { content: 'You help still.', sections: {}, toolsAdded: [{ name: 'edit' }] },
    })
    .entry('w1', 'usage', { kind: 'cache_warm', provider: 'anthropic', model: 'm', usage: usage(1, 0, 9, 0) })
    .entry('w2', 'usage', { kind: 'title', provider: 'openai', model: 'n', usage: usage(2, 1, 0, 0) })
    .entry('la', 'label', { targetId: 'u1', label: 'here', usage: usage(999, 0, 0, 0) })
    .user('u2', 'Thanks.');
}
