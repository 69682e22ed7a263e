import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compactedWork } from '../support/compacted-work.js';
import { projectFolder } from '../support/files.js';
import { Pty } from '../support/pty.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const TEXT = compactedWork();
const ARGS = ['prune', 's.jsonl', '--strategy', 'distill,fold,dedupe'];
let cwd = '';
let pty: Pty | null = null;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'ctx-confirm-'));
  writeFileSync(path.join(cwd, 's.jsonl'), TEXT);
});
afterEach(() => {
  pty?.close();
  pty = null;
  rmSync(cwd, { recursive: true });
});

/** Waits for the question, and answers it. */
async function answer(keys: string): Promise<Pty> {
  pty = new Pty([process.execPath, binary, ...ARGS], { cwd, columns: 70, env: { CTX_PAGER: 'cat' } });
  await pty.shows('[y/N]');
  pty.press(keys);
  return pty;
}

const session = (): string => readFileSync(path.join(cwd, 's.jsonl'), 'utf8');

describe('the question before a write, in a real terminal', () => {
  it('comes after what matters for safety, with all of its words', async () => {
    const screen = (await answer('y\r')).screen().replaceAll(/\s+/g, ' ');
    expect(screen).toMatch(
      /note: Pi may have the session open \(modified in the last five minutes\); reopen it there to see the new entries undo: ctx revert s\.jsonl [0-9a-f]{8} in short [^;]+; messages: \d+ kept, \d+ changed Append \d+ entries to "/,
    );
    expect(await pty?.ends()).toMatchObject({ exitCode: 0 });
    expect(pty?.screen()).toMatch(/^undo: ctx revert s\.jsonl [0-9a-f]{8}$/m);
    expect(session().startsWith(TEXT)).toBe(true);
    expect(session().length).toBeGreaterThan(TEXT.length);
  });

  it.each([
    ['n', 'n\r'],
    ['an empty line', '\r'],
    ['Ctrl-D', '\u0004'],
  ])('is declined by %s, and nothing is written', async (_name, keys) => {
    expect(await (await answer(keys)).ends()).toMatchObject({ exitCode: 4 });
    expect(pty?.screen()).toContain('not confirmed; nothing was written');
    expect(session()).toBe(TEXT);
  });

  it('ends at Ctrl-C, and nothing is written', async () => {
    expect(await (await answer('\u0003')).ends()).toMatchObject({ signal: 2 });
    expect(session()).toBe(TEXT);
  });

  it('is not asked on a pipe, where --yes writes and nothing else does', async () => {
    const refused = await execa(process.execPath, [binary, ...ARGS], { cwd, reject: false });
    expect(refused).toMatchObject({ exitCode: 4, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    expect(session()).toBe(TEXT);
    const ran = await execa(process.execPath, [binary, ...ARGS, '--yes'], { cwd });
    expect(ran.stderr).toBe('');
    expect(session().length).toBeGreaterThan(TEXT.length);
  });
});
