import { expect, it } from 'vitest';
import { ctx } from '../../support/memory-io.js';
import { generateWorkedClaudeCode } from '../../support/worked-claude-code.js';

const NAME = '0b1c2d3e-0000-4000-8000-000000000001';
const FILE = `/home/ada/.claude/projects/-home-ada-weather/${NAME}.jsonl`;

it('a dry run of a copy ends with the command that writes it, as it was typed', async () => {
  const world = { files: { [FILE]: generateWorkedClaudeCode(5) }, columns: Infinity };
  const { stdout } = await ctx(
    ['compact', NAME, '--instructions', "it's urgent", '--keep-recent', '200', '--dry-run'],
    world,
  );
  expect(stdout).toContain(
    `\nctx compact ${NAME} --instructions 'it'\\''s urgent' --keep-recent 200 --install  writes the copy, for Claude Code to resume\n`,
  );
  const written = await ctx(['compact', NAME, '--keep-recent', '200', '--install'], world);
  expect([written.exitCode, written.stdout.split('\n')[0]]).toEqual([0, 'installed a copy: compacted']);
});
