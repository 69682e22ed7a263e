import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { opened } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';

const file = 'fixtures/agents/droid/5f0c2a7e-3b1d-4c8e-9a64-20d7f1b8c935.jsonl';
const text = readFileSync(path.join(projectFolder, file), 'utf8');
const lines = text.trimEnd().split('\n');

/** Role and texts of the messages at an answer, or at the leaf. */
function textsAt(session: OpenSession, answer?: number): readonly string[] {
  const answers = [...session.tree.heads].filter(({ role }) => role === 'assistant');
  const head = answer === undefined ? session.tree.leaf : (answers[answer] ?? null);
  return buildEnvelope(session, head).messages.cached.map(({ role, content }) => {
    const blocks = content as { readonly [key in 'type' | 'text' | 'thinking' | 'name']?: string }[];
    return `${role}: ${blocks.map((block) => block.text ?? block.thinking ?? block.name ?? block.type).join(' | ')}`;
  });
}

const GROVE = '<system-reminder>The grove lies in /home/ada/grove.</system-reminder>';
const BEECHES = [
  'user: Then count the beeches.',
  'assistant: I look. | Grep',
  'toolResult: 7 beeches',
  'assistant: Seven beeches.',
];

test('the model gets what is not for the user only, with a message for each result', async () => {
  const session = await opened(text);
  expect(textsAt(session, 3)).toEqual([
    `user: ${GROVE} | <system-reminder>Today is a Monday.</system-reminder>`,
    'user: image | How many oaks and birches are there?',
    'assistant: Two lists to count. | I count both. | Grep | Read',
    'toolResult: 12 oaks',
    'toolResult: No such file | image',
    'assistant:  | Twelve oaks, and no list of birches.',
    ...BEECHES,
  ]);
});

test('a compaction keeps what follows the last summarised message, and a call without a result gets one', async () => {
  expect(textsAt(await opened(text))).toEqual([
    `user: [the client introduces a summary of the conversation] | The grove has twelve oaks. | ${GROVE}`,
    ...BEECHES,
    'user: <system-reminder>Today is a Tuesday.</system-reminder>',
    'user: And the alders?',
    'assistant: Grep',
    'toolResult: [the client reports that the call was interrupted]',
    'user: Leave the alders.',
    'assistant: As you wish.',
  ]);
});

const compaction = lines.findIndex((line) => line.includes('"compaction_state"'));
const compactedAfter = (change: object): string =>
  [
    ...lines.slice(0, compaction),
    JSON.stringify({ ...(JSON.parse(lines[compaction] ?? '') as object), ...change }),
  ].join('\n');

test('results right after the last summarised message are left out with their calls', async () => {
  const session = await opened(compactedAfter({ anchorMessage: { id: 'a3', index: 7 } }));
  expect(textsAt(session).slice(1)).toEqual(['assistant: Seven beeches.']);
});

test('a compaction keeps all messages if the file lacks the last one that was summarised', async () => {
  expect(textsAt(await opened(compactedAfter({ anchorMessage: undefined })))).toHaveLength(11);
  expect(textsAt(await opened(compactedAfter({ anchorMessage: { id: 'gone', index: 2 } })))).toHaveLength(11);
});

test('a compaction that the user asked for begins a file that names the one before', async () => {
  const start = { ...(JSON.parse(lines[0] ?? '') as object), parent: 'p-1' };
  const session = await opened([JSON.stringify(start), ...lines.slice(compaction)].join('\n'));
  expect(textsAt(session)).toHaveLength(7);
  expect(session.header.fields['parentSession']).toBe('p-1');
  expect(session.agent?.isSubagent).toBe(false);
});

test('a session that another one started is a subagent, and one of another format is approximate', async () => {
  const withStart = (change: object): string =>
    [JSON.stringify({ ...(JSON.parse(lines[0] ?? '') as object), ...change }), ...lines.slice(1, 6)].join('\n');
  const subagent = await opened(withStart({ callingSessionId: 'p-1', callingToolUseId: 'c-1' }));
  expect([subagent.agent?.isSubagent, subagent.header.fields['parentSession']]).toEqual([true, 'p-1']);
  expect(subagent.agent?.parts.messages).toBe('recorded');
  expect((await opened(withStart({ version: 3 }))).agent?.parts.messages).toBe('approximate');
});
