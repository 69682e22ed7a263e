import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

it.each([
  ['weather.jsonl', /^ {2}transform +c7a10e55 /m],
  // `transform` is a word of Pi's format.
  ['agents/claude-code/session.jsonl', /^ {2}prompt +17082881 /m],
])('a change of the prompt has the word of its agent: %s', async (name, row) => {
  const files = { 's.jsonl': readFileSync(path.join(projectFolder, 'fixtures', name)) };
  expect((await ctx(['show', 's.jsonl'], { files })).stdout).toMatch(row);
});
