import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HookRequestLine, HookSummary } from '#lab/hooks/document.js';
import { projectFolder } from '../support/files.js';
import { waiting } from '../support/hook-session.js';

/** A line of the output, as whichever it is. */
type Line = Omit<HookRequestLine, 'schema'> & Omit<HookSummary, 'schema'> & { readonly schema: string };

const binary = path.join(projectFolder, 'bin/ctx.js');
let folder = '';
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'ctx-e2e-hooks-'))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly Line[];
  /** The session is as it was. */
  readonly isUntouched: boolean;
}

let count = 0;

/** Runs the built program with a hook on a session of its own. Without TypeScript, the hook need not be compiled. */
async function run(source: string, ...flags: readonly string[]): Promise<Ended> {
  return runAs('mjs', source, ...flags);
}

async function runAs(language: string, source: string, ...flags: readonly string[]): Promise<Ended> {
  count += 1;
  const [session, hook] = [`s${count}.jsonl`, `hook${count}.${language}`];
  writeFileSync(path.join(folder, session), waiting);
  writeFileSync(path.join(folder, hook), source);
  const args = ['hooks', session, '--hook', hook, '--json', ...flags];
  const { exitCode, stdout, stderr } = await execa(binary, args, { cwd: folder, reject: false, env: { HOME: folder } });
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  return { exitCode, stdout, stderr, lines, isUntouched: readFileSync(path.join(folder, session), 'utf8') === waiting };
}

/** A hook whose answer to before_request is this. */
const answering = (body: string, before = ''): string =>
  `${before}
  export default (pi) => pi.on('context', async (event) => { if (event.reason === 'before_request') { ${body} } });`;

const PATCH = `{ patch: [{ op: 'system_part_set', scope: 'cached', partName: 'policy', text: 'Be careful.', invalidateCacheReason: 'a test' }] }`;

describe.concurrent('a hook that', () => {
  it.each([
    ['throws', `throw new Error('no luck')`, 'threw', 'no luck'],
    ['exits', `process.exit(0)`, 'exited', 'by itself, with exit code 0'],
    ['returns far too much', `return { patch: [], more: 'x'.repeat(65_000_000) }`, 'too-long', 'too long'],
  ])('%s is contained: exit code 1, and nothing is written', async (_, body, kind, message) => {
    const { exitCode, lines, isUntouched } = await run(answering(body), '--write');
    expect(exitCode).toBe(1);
    expect(lines[0]!.boundaries[0]!.failures).toMatchObject([{ kind, message: expect.stringContaining(message) }]);
    expect(lines.at(-1)!.schema).toBe('ctx/hook-summary');
    expect(isUntouched).toBe(true);
  });

  it('runs in a circle is ended after its time', async () => {
    // Blocked as by a circle, without work for the processor.
    const blocked = answering('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    const { exitCode, lines, isUntouched } = await run(blocked, '--time-limit', '1', '--each-request');
    expect(exitCode).toBe(1);
    expect(lines[0]!.boundaries[0]!.failures).toMatchObject([
      { kind: 'timed-out', message: 'it took longer than 1 s' },
    ]);
    // The next request has nobody to ask any more.
    expect(lines.at(-1)).toMatchObject({
      requests: 1,
      notRun: 3,
      notes: [expect.stringContaining('3 requests not looked at')],
    });
    expect(isUntouched).toBe(true);
  });

  it('listens to the signal of the envelope is told in time, and lives on', async () => {
    const body = `const { signal } = event.state.envelope.meta;
      if (event.state.envelope.messages.cached.length > 1) return;
      await new Promise((_, reject) => signal.addEventListener('abort', () => { console.log('told'); reject(signal.reason); }));`;
    const { exitCode, lines, stderr } = await run(answering(body), '--time-limit', '1', '--each-request');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^hook\d+\.mjs: told$/m);
    expect(lines.at(-1)).toMatchObject({ requests: 4, failed: 1, notRun: 0 });
  });

  it('returns rubbish breaks a rule', async () => {
    const { exitCode, lines, isUntouched } = await run(
      answering(`return { patch: [{ op: 'x', run() {} }] }`),
      '--write',
    );
    expect(exitCode).toBe(1);
    expect(lines[0]!.boundaries[0]!.violations).toMatchObject([
      { rule: 'serialisable', message: 'the answer.patch[0].run is a function, which is not JSON' },
    ]);
    expect(isUntouched).toBe(true);
  });

  it('changes what it was given changes nothing, and we are told', async () => {
    const { exitCode, lines, isUntouched } = await run(answering('event.state.envelope.messages.cached.length = 0'));
    expect(exitCode).toBe(0);
    expect(lines.at(-1)!.notes[0]).toContain('changed what it was given');
    expect(isUntouched).toBe(true);
  });

  it('prints, also much of it and with escapes, prints to our stderr, and obeyed is none of it', async () => {
    const body = `console.log('\\u001b[2Jhello'); for (let i = 0; i < 2000; i += 1) console.error('spam'); return ${PATCH};`;
    const { exitCode, stderr, lines } = await run(answering(body));
    expect(exitCode).toBe(0);
    expect(lines.map(({ schema }) => schema)).toEqual(['ctx/hook-request', 'ctx/hook-summary']);
    expect(stderr).toMatch(/^hook\d+\.mjs: ␛\[2Jhello$/m);
    expect(stderr).toContain('… further output is omitted');
    expect(stderr).not.toContain('\u001b');
  });

  it('starts programs is ended with them', async () => {
    const before = `import { spawn } from 'node:child_process'; import fs from 'node:fs';`;
    const body = `const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); fs.writeFileSync('pid', String(pid)); return ${PATCH};`;
    const { exitCode, stderr } = await run(answering(body, before), '--at', 'u1');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('… child processes that were still running have been ended');
    const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
    const isThere = (): boolean => {
      try {
        return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
      } catch {
        return false;
      }
    };
    for (let tries = 0; tries < 1000 && isThere(); tries += 1)
      await new Promise((resolve) => void setTimeout(resolve, 20));
    expect(isThere()).toBe(false);
  });
});

describe('a hook', () => {
  it('runs only if --hook names it: what lies beside a session, or stands in it, is not', async () => {
    writeFileSync(
      path.join(folder, 'trap.jsonl'),
      waiting.replace('"cwd":"/home/ada/weather"', `"cwd":${JSON.stringify(folder)}`),
    );
    writeFileSync(
      path.join(folder, 'hooks.ts'),
      `import fs from 'node:fs'; fs.writeFileSync('ran', ''); export default () => {};`,
    );
    const { exitCode } = await execa(binary, ['show', 'trap.jsonl'], {
      cwd: folder,
      reject: false,
      env: { HOME: folder },
    });
    expect(exitCode).toBe(0);
    const none = await execa(binary, ['hooks', 'trap.jsonl'], {
      cwd: folder,
      reject: false,
      env: { HOME: folder },
    });
    expect(none.exitCode).toBe(2);
    expect(readdirSync(folder)).not.toContain('ran');
  });

  it('may be TypeScript with types of pi-ctx/hooks, or of the packages of Pi, and is written by --write', async () => {
    const source = `
      import type { HookAPI } from 'pi-ctx/hooks';
      import type { HookAPI as Theirs } from '@mariozechner/pi-coding-agent/hooks';
      import { defineHook } from 'pi-ctx/hooks';
      export default defineHook((pi: HookAPI | Theirs) => (pi as HookAPI).on('context', ({ reason }) => reason === 'before_request' ? ${PATCH} : undefined));`;
    const { exitCode, lines, isUntouched } = await runAs('ts', source, '--write', '--yes');
    expect(lines.map(({ schema }) => schema)).toEqual(['ctx/hook-request', 'ctx/hook-summary', 'ctx/written']);
    expect(exitCode).toBe(0);
    expect(isUntouched).toBe(false);
    expect(lines[1]).toMatchObject({ idempotent: { before_request: true } });
  });

  it('that is at work is ended when the user interrupts', async () => {
    writeFileSync(path.join(folder, 'i.jsonl'), waiting);
    writeFileSync(path.join(folder, 'i.mjs'), answering(`console.log('at work'); await new Promise(() => {})`));
    const child = execa(binary, ['hooks', 'i.jsonl', '--hook', 'i.mjs', '--write'], {
      cwd: folder,
      reject: false,
    });
    child.stderr.on('data', (text: Buffer) => {
      if (String(text).includes('at work')) child.kill('SIGINT');
    });
    const { signal, exitCode } = await child;
    expect(signal === 'SIGINT' || exitCode === 130).toBe(true);
    expect(readFileSync(path.join(folder, 'i.jsonl'), 'utf8')).toBe(waiting);
  });
});
