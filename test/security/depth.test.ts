import { describe, expect, it } from 'vitest';
import { ctx } from '../support/memory-io.js';
import { READING } from './every-command.js';
import { fixtureText } from './hostile-session.js';

/** More than any stack holds. */
const LEVELS = 12_000;
const deep = `${'[{"a":'.repeat(LEVELS / 2)}1${'}]'.repeat(LEVELS / 2)}`;
const text = fixtureText('edits-and-compaction.jsonl');
const last = text.trimEnd().split('\n').at(-1) ?? '';
const { id: leaf } = JSON.parse(last) as { readonly id: string };

function below(members: string): string {
  return `${text}{"id":"below","parentId":"${leaf}","timestamp":"2026-01-15T09:00:00.000Z",${members}}\n`;
}

const PATCH = `"type":"context_transform","schemaVersion":1,"transformId":"x","transformerName":"x","invalidateCacheReason":"x"`;

const PLACES = {
  'an entry': below(`"type":"custom","customType":"x","data":${deep}`),
  'the arguments of a call': below(
    `"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"t","arguments":{"a":${deep}}}]}`,
  ),
  'a patch': below(
    `${PATCH},"patch":[{"op":"tools_replace","scope":"cached","invalidateCacheReason":"x","tools":[{"name":"t","description":"","parameters":${deep}}]}]`,
  ),
};

// A session of Pi is nothing to import.
const RUNS = Object.entries(READING)
  .filter(([command]) => command !== 'import')
  .flatMap(([command, runs]) => runs.slice(0, 1).map((flags) => [command, ...flags]));

describe.each(Object.entries(PLACES))(
  `${LEVELS} levels in %s are read, or refused in a sentence:`,
  (_place, session) => {
    it.each(RUNS.map(([command = '', ...flags]) => [command, flags] as const))('ctx %s', async (command, flags) => {
      const { exitCode, stderr } = await ctx([...command.split(' '), 's.jsonl', ...flags], {
        files: { 's.jsonl': session },
      });
      expect([0, 1, 3, 4], stderr).toContain(exitCode);
      if (exitCode === 3) expect(stderr).toMatch(/^ctx: [^\n]*nested too deeply[^\n]*\n$/m);
    });
  },
);

it.each([
  ['a patch', ['apply', 's.jsonl', 'deep.json', '--dry-run']],
  ['a plan', ['apply', 'deep.json']],
  ['a baseline', ['show', 's.jsonl', '--baseline', 'deep.json']],
  ['a configuration', ['check', 's.jsonl', '--config', 'deep.json']],
])(`${LEVELS} levels in %s are refused in a sentence`, async (_what, argv) => {
  const { exitCode, stderr } = await ctx(argv, { files: { 's.jsonl': text, 'deep.json': `{"limit":${deep}}` } });
  expect([2, 3], stderr).toContain(exitCode);
  expect(stderr).toMatch(/^ctx: [^\n]+\n$/);
});
