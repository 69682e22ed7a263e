import { describe, expect, it } from 'vitest';
import { ctx } from '../../support/memory-io.js';
import { forgePlan, listOriginalSessions, listWritingLines } from '../../support/original-sessions.js';
import { pluginsHere } from '../../support/plugins.js';
import { tried } from '../../support/runs.js';

/** Where not all is tried, each command line is tried with every second agent. */
const sessions = listOriginalSessions('/home/ada').map((session, nth) => ({
  ...session,
  lines: tried(listWritingLines(session.file), 2, nth),
}));

/** No session is a module: a process for each would only say so. */
const noPlugins = pluginsHere({});

describe.each(sessions)('a session of $agent', ({ file, files, lines }) => {
  it('is never opened for writing, whatever the command and its flags', async () => {
    const written: string[] = [];
    for (const argv of lines) {
      const ran = await ctx(argv, {
        files: { ...files, 's.md': 'S.' },
        env: { HOME: '/home/ada' },
        onWrite: (name) => written.push(name),
        startPlugin: noPlugins,
      });
      for (const name of Object.keys(files)) expect([argv, ran.files[name]]).toEqual([argv, files[name]]);
    }
    expect(written.filter((name) => name in files)).toEqual([]);
    expect(new Set(written)).toContain('new.jsonl');
  });

  it('is not opened for writing by a plan that names it', async () => {
    const written: string[] = [];
    for (const flags of [['--yes'], ['--yes', '--force'], ['--dry-run']]) {
      const ran = await ctx(['apply', 'forged.json', ...flags], {
        files: { ...files, 'forged.json': forgePlan(file, files[file] ?? '') },
        env: { HOME: '/home/ada' },
        onWrite: (name) => written.push(name),
      });
      const refused = flags.includes('--dry-run') ? expect.any(Number) : 4;
      expect([ran.exitCode, ran.files[file]]).toEqual([refused, files[file]]);
    }
    expect(written).toEqual([]);
  });
});
