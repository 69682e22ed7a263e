import { expect, it } from 'vitest';
import { toToolAnswer } from '#cli/commands/mcp/answer.js';

/** The arguments of a tool, with members that an entry of a session has as well. */
const given = { id: 'ISSUE-7', api: 'v2', usage: { limit: null }, at: 52.520008123 };

const assistant = {
  role: 'assistant',
  api: 'anthropic-messages',
  usage: { input: 1 },
  error: null,
  content: [{ type: 'toolCall', id: 'call-1', name: 'read_issue', arguments: given }],
};

it('an entry that is read has no members of the protocol, but the arguments of a tool unchanged', async () => {
  const { result } = await readEntry({ type: 'message', id: 'a1', parentId: null, message: assistant });
  expect(result.entry).toEqual({
    type: 'message',
    message: {
      role: 'assistant',
      error: null,
      content: [{ type: 'toolCall', name: 'read_issue', arguments: given }],
    },
  });
});

it.each([
  ['a message that an edit deletes', { type: 'context_edit', target: 'b2', replacement: null }],
  ['a label that is taken away', { type: 'label', target: 'b2', label: null }],
  ['a number with all of its digits', { type: 'custom', seconds: 1.23456789 }],
])('an entry that is read has %s', async (_, entry) => {
  const { result } = await readEntry({ id: 'a1', ...entry });
  expect(result.entry).toEqual(entry);
});

it('a document has no nulls, and its numbers have six digits', async () => {
  const item = { data: { entryId: null, share: 0.123456789, rows: [{ cost: null }] }, doc: () => [] };
  const { result } = await toToolAnswer(
    { kind: 'single', item, problems: [] },
    { method: 'get_stats', isContentAllowed: true, maxTokens: 1000 },
  );
  expect(result).toMatchObject({ share: 0.123457 });
  expect(JSON.stringify(result)).not.toContain('null');
});

it.each(['data', 'details', 'parameters', 'sections'])('an entry that is read has its %s unchanged', async (name) => {
  const { result } = await readEntry({ type: 'custom', id: 'a1', [name]: given });
  expect(result.entry).toEqual({ type: 'custom', [name]: given });
});

function readEntry(entry: Readonly<Record<string, unknown>>): ReturnType<typeof toToolAnswer> {
  const item = { data: { entryId: 'a1', line: 2, entry }, doc: () => [] };
  return toToolAnswer(
    { kind: 'single', item, problems: [] },
    { method: 'read_message', isContentAllowed: true, maxTokens: 1000 },
  );
}
