import { describe, expect, it } from 'vitest';
import { ctx } from '../../support/memory-io.js';
import { listOriginalSessions, listWritingLines } from '../../support/original-sessions.js';
import { tried } from '../../support/runs.js';

/** Where not all is tried, each command line is tried with every second agent. */
const sessions = listOriginalSessions('/home/ada').map((session, nth) => ({
  ...session,
  lines: tried(listWritingLines(session.file), 2, nth),
}));

describe.each(sessions)('a session of $agent', ({ files, lines }) => {
  it('is never opened for writing, whatever the command and its flags', async () => {
    const written: string[] = [];
    for (const argv of lines) {
      const ran = await ctx(argv, {
        files: { ...files, 's.md': 'S.' },
        env: { HOME: '/home/ada' },
        onWrite: (name) => written.push(name),
      });
      for (const name of Object.keys(files)) expect([argv, ran.files[name]]).toEqual([argv, files[name]]);
    }
    expect(written.filter((name) => name in files)).toEqual([]);
    expect(new Set(written)).toContain('new.jsonl');
  });
});
