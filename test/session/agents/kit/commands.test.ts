import { describe, expect, it, test } from 'vitest';
import { ctx } from '../../../support/memory-io.js';
import { tried } from '../../../support/runs.js';
import { TESTED_AGENTS } from './agents.js';
import { FIXTURES } from './content.js';
import { buildConversation } from './conversations.js';
import { listReadingLines, startHookHere as startPlugin } from './lines.js';

/** Why a command may refuse a sound session. */
const REFUSALS = /no compaction|nothing (?:to|found)|not said|ctx convert|--keep-recent|hook/;

/** Where not all is tried, each command line is tried with every third fixture. */
const fixtures = FIXTURES.map(({ name, text }, nth) => ({
  name,
  text,
  lines: tried(listReadingLines('/f/s'), 3, nth),
}));

describe.each(fixtures)('a session like $name', ({ text, lines }) => {
  const files = { '/f/s': text };

  it('is read by every command, and changed by none', async () => {
    for (const argv of lines) {
      const { exitCode, stdout, stderr, files: after } = await ctx(argv, { files, startPlugin });
      expect([argv, after['/f/s']]).toEqual([argv, text]);
      if (exitCode === 0) expect([argv, stdout]).not.toEqual([argv, '']);
      else expect([argv, exitCode, stdout + stderr]).toEqual([argv, exitCode, expect.stringMatching(REFUSALS)]);
    }
  });

  it('has no findings', async () => {
    expect((await ctx(['check', '/f/s'], { files })).exitCode).toBe(0);
  });

  it('has no findings once it is imported', async () => {
    const { files: after } = await ctx(['import', '/f/s', '--output', '/f/new.jsonl'], { files });
    const { exitCode, stdout } = await ctx(['check', '/f/new.jsonl'], { files: after });
    expect([exitCode, stdout]).toEqual([0, expect.any(String)]);
  });
});

const ofFolders = TESTED_AGENTS.filter(({ place }) => place('x') !== null);

test.each(ofFolders)('a session of $name is found in its folder', async ({ name, place, write }) => {
  const conversation = buildConversation(7, 2);
  const file = `/home/ada/${place(conversation.id)}`;
  const world = { files: { [file]: write(conversation) }, cwd: '/' };
  expect(JSON.parse((await ctx(['ls', '--agent', name, '--json'], world)).stdout)).toMatchObject({ file });
  const { stdout: whole } = await ctx(['show', file, '--json'], world);
  for (const session of [conversation.id, conversation.id.slice(0, 8), `latest:${name}`, 'latest:all']) {
    const { exitCode, stdout, stderr } = await ctx(['show', session, '--json'], world);
    expect([session, exitCode, stderr]).toEqual([session, 0, '']);
    expect(stdout).toBe(whole);
  }
});
