import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { openSession } from '#context/open.js';
import type { CommandEnd } from '#live/command-line.js';
import command from '#live/command/command.js';
import type { Live } from '#live/define.js';
import type { PiEntry } from '#live/pi.js';
import { activePath } from '#session/tree/tree.js';
import { projectFolder } from '../support/files.js';
import { livePi } from '../support/live-pi.js';
import { liveWith } from '../support/live-world.js';

/** What the user reads after a command line whose runs end like this, one after the other. */
async function noticesOf(
  typed: string,
  ends: readonly Partial<CommandEnd>[],
  file = fileURLToPath(import.meta.url),
  entries: readonly PiEntry[] = [],
): Promise<readonly string[]> {
  const pi = livePi(entries);
  const left = [...ends];
  const commandLine = () => Promise.resolve({ stdout: '', stderr: '', exitCode: 0, ...left.shift() });
  command.install(pi.pi, { commandLine } as unknown as Live);
  const { sessionManager } = pi.ctx;
  const ctx = Object.assign(pi.ctx, {
    hasUI: true,
    sessionManager: { ...sessionManager, getSessionFile: () => file },
    isIdle: () => true,
    waitForIdle: () => Promise.resolve(),
    switchSession: () => Promise.resolve({ cancelled: false }),
  });
  await pi.commands.get('ctx')?.handler(typed, ctx);
  return pi.notices;
}

it('a hint of the command line is one that works inside Pi', async () => {
  const stderr = "ctx: say what to undo: ctx revert SESSION '@{compaction}'";
  expect(await noticesOf('revert --yes', [{ stderr, exitCode: 2 }])).toEqual([
    "error: ctx: say what to undo: /ctx revert '@{compaction}'",
  ]);
});

it('a refused change is a sentence, not JSON', async () => {
  const error = { what: 'the session has changed', where: 'this session', hint: 'create the plan again', exitCode: 4 };
  expect(await noticesOf('apply ops.json --yes', [{}, { stderr: JSON.stringify(error), exitCode: 4 }])).toEqual([
    'error: ctx: the session has changed: this session: create the plan again',
  ]);
});

it('a command is refused where the file ends with an entry that Pi has not read', async () => {
  const file = path.join(tmpdir(), `ctx-command-${process.pid}.jsonl`);
  writeFileSync(file, '{"type":"session","id":"s"}\n{"type":"message","id":"other","parentId":null}\n');
  try {
    expect(await noticesOf('show', [{ stdout: 'shown' }], file)).toEqual([
      expect.stringMatching(/^warning: ctx: another program has appended to this session.*\/resume$/),
    ]);
  } finally {
    rmSync(file);
  }
});

it('a command is refused where another program has appended, also if Pi has written since', async () => {
  const file = path.join(tmpdir(), `ctx-command-later-${process.pid}.jsonl`);
  const own = '{"type":"message","id":"own","parentId":null}\n';
  try {
    for (const [other, isRefused] of [
      ['{"type":"message","id":"other","parentId":"own"}\n', true],
      ['', false],
    ] as const) {
      writeFileSync(file, `{"type":"session","id":"s"}\n${other}${own}`);
      const notices = await noticesOf('show', [{ stdout: 'shown' }], file, [{ id: 'own' } as PiEntry]);
      expect(notices).toEqual([isRefused ? expect.stringContaining('another program has appended') : 'info: shown']);
    }
  } finally {
    rmSync(file);
  }
});

it('a change that appends nothing is shown, and not asked about', async () => {
  const pi = livePi();
  const asked: string[] = [];
  const commandLine = (argv: readonly string[]) => {
    writeFileSync(argv[argv.indexOf('--plan') + 1]!, JSON.stringify({ schema: 'ctx/plan', entries: [] }));
    return Promise.resolve({ stdout: 'nothing to prune', stderr: '', exitCode: 0 });
  };
  command.install(pi.pi, { commandLine } as unknown as Live);
  const ctx = Object.assign(pi.ctx, {
    mode: 'rpc',
    sessionManager: { ...pi.ctx.sessionManager, getSessionFile: () => fileURLToPath(import.meta.url) },
    waitForIdle: () => Promise.resolve(),
    switchSession: () => Promise.reject(new Error('read again')),
  });
  ctx.ui.confirm = (title) => Promise.resolve(asked.push(title) > 0);
  for (const words of ['prune', 'compact', 'prune --yes']) await pi.commands.get('ctx')?.handler(words, ctx);
  expect(asked).toEqual([]);
  expect(pi.notices).toEqual(Array.from({ length: 3 }, () => 'info: nothing to prune'));
});

it('an error of /ctx-status is a sentence, not JSON', async () => {
  const pi = livePi();
  const stderr = JSON.stringify({ what: 'line 3 is not JSON', where: 'this session', hint: 'repair it', exitCode: 3 });
  command.install(pi.pi, {
    commandLine: () => Promise.resolve({ stdout: '', stderr, exitCode: 3 }),
  } as unknown as Live);
  await pi.commands.get('ctx-status')?.handler('', pi.ctx as never);
  expect(pi.notices).toEqual(['error: ctx: line 3 is not JSON: this session: repair it']);
});

it('the notice of a change marks a size that is estimated', async () => {
  const size = { before: { tokens: 1875, estimated: 0 }, after: { tokens: 1712, estimated: 12 } };
  const stdout = JSON.stringify({ undo: 'ctx revert this-session abc', entries: [{}], size });
  expect(await noticesOf('apply ops.json --yes', [{}, { stdout }])).toEqual([
    'info: ctx: appended 1 entry, 1,875 → ~1,712 tokens\nundo: /ctx revert abc',
  ]);
});

it('an unknown command is printed where Pi shows no notices', async () => {
  const pi = livePi();
  command.install(pi.pi, {} as unknown as Live);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await pi.commands.get('ctx')?.handler('bogus', Object.assign(pi.ctx, { hasUI: false }) as never);
  const printed = written.mock.calls.join('');
  written.mockRestore();
  expect(printed).toContain('ctx: no command "bogus" inside Pi; there are show, diff');
  expect(pi.notices).toEqual([]);
});

it('the commands of /ctx status are those inside Pi, and words of the session stay', async () => {
  const stdout =
    'ctx prune latest was typed\nAdvice   above 100k: ctx prune\nNext     ctx show --part tools\n         ctx prune latest --dry-run\n         ctx explore latest\n';
  expect(await noticesOf('status', [{ stdout }])).toEqual([
    'info: ctx prune latest was typed\nAdvice   above 100k: /ctx prune\nNext     /ctx show --part tools\n         /ctx prune --dry-run\n         ctx explore latest',
  ]);
});

it('the overview has what the newest compaction lost', async () => {
  const session = await openSession(path.join(projectFolder, 'fixtures/weather.jsonl'));
  const entries = activePath(session.tree).map((head) => session.entry(head) as unknown as PiEntry);
  const pi = livePi(entries);
  command.install(pi.pi, liveWith({}));
  await pi.commands.get('ctx')?.handler('', Object.assign(pi.ctx, { hasUI: true, mode: 'rpc' }) as never);
  expect(pi.notices.join('\n')).toContain(
    'lost     instructions 2, results 2, thinking 2 by the compaction af810455: /ctx loss',
  );
});
