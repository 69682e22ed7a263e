import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { EntryPreviews } from '#context/words/entry-text.js';
import { formatCall, previewMessage } from '#context/words/message-text.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Head } from '#session/heads/head.js';
import { assistant, type Entry, HEADER, sessionOf, toolResult, user } from '../../support/entries.js';

describe('a tool call on one line', () => {
  it.each<[string, unknown, string]>([
    ['bash', { command: 'npm test', timeout: 60 }, 'bash npm test'],
    ['read', { path: 'src/a.ts' }, 'read src/a.ts'],
    ['read', { path: 'src/a.ts', offset: 10, limit: 31 }, 'read src/a.ts:10-40'],
    ['read', { path: 'src/a.ts', limit: 40 }, 'read src/a.ts:1-40'],
    ['read', { path: 'src/a.ts', offset: 10 }, 'read src/a.ts:10'],
    ['edit', { file_path: 'src/a.ts', oldText: 'a', newText: 'b' }, 'edit src/a.ts'],
    ['grep', { pattern: 'todo', path: 'src' }, 'grep todo in src'],
    ['web_search', { query: 'time zones' }, 'web_search time zones'],
    ['read', { path: '/home/ada/weather/src/a.ts' }, 'read src/a.ts'],
    ['read', { path: '/home/ada/weather-2/a.ts' }, 'read ~/weather-2/a.ts'],
    ['read', { path: '/home/eve/a.ts' }, 'read /home/eve/a.ts'],
    [
      'read',
      { path: '/home/ada/weather/packages/forecast/src/formats/rows.ts', offset: 3, limit: 2 },
      'read rows.ts:3-4 in packages/forecast/src/formats',
    ],
    ['ask', { text: 'Which one?' }, 'ask(Which one?)'],
    ['plan', { step: 1, state: { done: true } }, 'plan(step=1, state={"done":true})'],
    ['read', { path: '' }, 'read()'],
    ['read', { path: 7 }, 'read(7)'],
    ['read', 'src/a.ts', 'read()'],
  ])('of %s with %o is %s', (name, given, text) => {
    expect(formatCall({ name, arguments: given }, '/home/ada/weather')).toBe(text);
  });
});

describe('the preview of a tool result', () => {
  it('begins with the call that it answers', () => {
    expect(previewOf(calls('a1', 'u1', ['c1', 'npm test']), result('r1', 'a1', 'c1'))).toBe('bash npm test → fine');
  });

  it('finds its own call among parallel ones, above the results of the others', () => {
    const asked = calls('a1', 'u1', ['c1', 'npm test'], ['c2', 'npm run check']);
    expect(previewOf(asked, result('r1', 'a1', 'c1'), result('r2', 'r1', 'c2'))).toBe('bash npm run check → fine');
  });

  it('takes the nearest call where an id is used twice', () => {
    const [first, second] = [calls('a1', 'u1', ['c1', 'npm test']), calls('a2', 'r1', ['c1', 'npm run check'])];
    expect(previewOf(first, result('r1', 'a1', 'c1'), second, result('r2', 'a2', 'c1'))).toBe(
      'bash npm run check → fine',
    );
  });

  it('names a failure first: a long command would push it off the line', () => {
    const [asked, failed] = [calls('a1', 'u1', ['c1', `x${' --flag'.repeat(40)}`]), result('r1', 'a1', 'c1', true)];
    const text = previewOf(asked, failed);
    expect(text).toMatch(/^failed: bash x --flag .*… → fine$/);
  });

  it('is named by the tool alone where no call is above it', () => {
    expect(previewOf(result('r1', 'u1', 'c1'))).toBe('bash: fine');
    expect(previewOf(calls('a1', 'u1', ['c2', 'npm test']), result('r1', 'a1', 'c1'))).toBe('bash: fine');
  });
});

describe('the reminders of Claude Code before the words of a message', () => {
  const reminder = '<system-reminder>\nUse tabs.\n</system-reminder>\n';

  it.each<[string, unknown, string]>([
    ['in its text', `${reminder}${reminder}Fix it.`, '[reminder] Fix it.'],
    ['as blocks', [reminder, 'Fix it.'], '[reminder] Fix it.'],
    ['alone', reminder.trim(), reminder.trim()],
    ['not closed', `<system-reminder>Fix it.`, '<system-reminder>Fix it.'],
    ['after them', `Fix it. ${reminder.trim()}`, `Fix it. ${reminder.trim()}`],
  ])('are one word of its preview: %s', (_name, content, text) => {
    const blocks = Array.isArray(content) ? content.map((one: string) => ({ type: 'text', text: one })) : content;
    expect(previewMessage({ role: 'user', content: blocks, timestamp: 0 })).toBe(text);
  });

  it('are no part of the title', () => {
    expect(findSessionTitle(sessionOf(HEADER, user('u1', null, `${reminder}Fix it.`)))).toBe('Fix it.');
  });
});

describe('the previews of an answer and its results', () => {
  it('parse each entry once', () => {
    const asked = calls('a1', 'u1', ['c1', 'npm test'], ['c2', 'npm run check']);
    const session = sessionOf(HEADER, user('u1', null), asked, result('r1', 'a1', 'c1'), result('r2', 'r1', 'c2'));
    const parsed: unknown[] = [];
    const entry = (head: Head): JsonObject => {
      parsed.push(head.id);
      return session.entry(head);
    };
    const previews = new EntryPreviews({ ...session, entry });
    const texts = Array.from(session.tree.heads, (head) => previews.preview(head));
    expect(texts.slice(2)).toEqual(['bash npm test → fine', 'bash npm run check → fine']);
    expect(parsed).toEqual(['u1', 'a1', 'r1', 'r2']);
  });
});

/** The preview of the last of the entries, which follow a question with the id u1. */
function previewOf(...entries: readonly Entry[]): string {
  const session = sessionOf(HEADER, user('u1', null), ...entries);
  const { last } = session.tree.heads;
  return last ? new EntryPreviews(session).preview(last) : '';
}

function calls(id: string, parentId: string, ...commands: readonly (readonly [id: string, command: string])[]): Entry {
  const content = commands.map(([callId, command]) => {
    return { type: 'toolCall', id: callId, name: 'bash', arguments: { command } };
  });
  return assistant(id, parentId, content);
}

function result(id: string, parentId: string, toolCallId: string, isError = false): Entry {
  return toolResult(id, parentId, toolCallId, { toolName: 'bash', content: 'fine', isError });
}
