import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '#cli/commands/index.js';
import { helpTopics } from '#cli/help/topics.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { ctx } from '../support/memory-io.js';
import { withProgram } from '../support/with-program.js';

const MAN = path.join(projectFolder, 'docs/man/ctx.1');

async function page(): Promise<string> {
  const { stdout, stderr } = await ctx(['help', '--man']);
  expect(stderr).toBe('');
  return stdout;
}

describe('the manual page', () => {
  it('docs/man/ctx.1 is generated from the definitions', async () => {
    expectGenerated('docs/man/ctx.1', await page());
  });

  it('holds every command, flag and topic', async () => {
    const text = (await page()).replaceAll(String.raw`\-`, '-');
    const wanted = (await loadCommands()).flatMap(({ name, flags }) => [
      `.SS ctx ${name}`,
      ...Object.keys(flags).map((flag) => `--${flag}"`),
    ]);
    expect(wanted.filter((words) => !text.includes(words))).toEqual([]);
    expect(text.match(/^\.SH /gm)?.length).toBe(6 + helpTopics.length);
  });

  withProgram('man', () => {
    it('is typeset without a complaint', () => {
      const { status, stderr } = spawnSync('man', ['--warnings', '-l', MAN], {
        encoding: 'utf8',
        env: { ...process.env, MANPAGER: 'cat' },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
  });

  withProgram('mandoc', () => {
    it('is clean for mandoc', () => {
      expect(spawnSync('mandoc', ['-T', 'lint', MAN], { encoding: 'utf8' }).stdout).toBe('');
    });
  });

  it('is listed in package.json', () => {
    const { man, files } = JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as {
      man: string;
      files: string[];
    };
    expect({ man, isPublished: files.includes('docs/man') }).toEqual({ man: './docs/man/ctx.1', isPublished: true });
  });
});
