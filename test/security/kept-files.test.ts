import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ctxOnDisk } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';
import { listOriginalSessions } from '../support/original-sessions.js';

const home = fs.mkdtempSync(path.join(tmpdir(), 'ctx-kept-'));
afterAll(() => fs.rmSync(home, { recursive: true }));

const weather = path.join(projectFolder, 'fixtures/weather.jsonl');
/** The commands that write a new file, of a session of Pi. */
const WRITING = [
  ['export', weather, '--format', 'markdown'],
  ['convert', weather, '--to', 'claude-code'],
  ['extract', weather],
  ['redact', weather],
  ['report', weather],
];

const sessions = listOriginalSessions(home).filter(({ file }) => path.dirname(file) !== home);

describe.each(sessions)('the session of $agent, where its agent keeps it', ({ file, files }) => {
  it('is not replaced by force with what is made of another session', async () => {
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(name), { recursive: true });
      fs.writeFileSync(name, content);
    }
    const link = path.join(home, 'link.jsonl');
    fs.symlinkSync(file, link);
    for (const words of WRITING)
      for (const output of [file, link]) {
        const ran = await ctxOnDisk([...words, '-o', output, '--force'], { home });
        expect([ran.exitCode, ran.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
          4,
          expect.stringContaining('ctx replaces none of its files'),
        ]);
      }
    fs.rmSync(link);
    expect(fs.readFileSync(file)).toEqual(Buffer.from(files[file] ?? ''));
  });
});

it('a file beside no agent is replaced by force', async () => {
  const output = path.join(home, 'new.md');
  fs.writeFileSync(output, 'old');
  const ran = await ctxOnDisk(['export', weather, '--format', 'markdown', '-o', output, '--force'], { home });
  expect([ran.exitCode, fs.readFileSync(output, 'utf8') === 'old']).toEqual([0, false]);
});
