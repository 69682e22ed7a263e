import { expect, it } from 'vitest';
import { importedLines } from '#change/migrate/stock-entries.js';
import { envelopeAt, openSession } from '#context/open.js';
import { opened } from '../../support/entries.js';

it('a session that went back to before its first entry is imported with a leaf that shows nothing', async () => {
  const meta = { type: 'session_meta', payload: { id: 'one', cwd: '/home/ada/app' } };
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
  const rows = [
    meta,
    { type: 'response_item', payload: item },
    { type: 'event_msg', payload: { type: 'user_message', message: 'Hi' } },
    { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
  ];
  const text = rows.map((row) => `${JSON.stringify({ timestamp: '2026-03-02T09:00:00.000Z', ...row })}\n`).join('');
  const session = await opened(text);
  expect([session.tree.heads.length > 0, session.tree.leaf]).toEqual([true, null]);
  const imported = await openSession(Buffer.concat([...importedLines(session)]));
  expect(envelopeAt(imported).messages.cached).toEqual([]);
  expect(imported.tree.heads.length).toBe(session.tree.heads.length + 1);
});
