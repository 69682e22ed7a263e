import { expect, it } from 'vitest';
import type { ProgramCall, ProgramRun } from '#platform/processes.js';
import { ctx, type World } from '../../support/memory-io.js';

const ENDED: ProgramRun = { stdout: '', stderr: '', exitCode: 0, failure: 'none' };

interface Told extends Pick<World, 'onPath' | 'self' | 'answer' | 'env'> {
  readonly end?: ProgramRun;
}

/** Runs `ctx mcp` where these programs are installed, and tells which of them it runs. */
async function run(argv: string, { onPath = ['ctx', 'claude', 'codex', 'pi'], end = ENDED, ...world }: Told = {}) {
  const ran: string[] = [];
  const runProgram = ({ program }: ProgramCall): Promise<ProgramRun> => {
    ran.push(program.join(' '));
    return Promise.resolve(end);
  };
  return { ...(await ctx(['mcp', ...argv.split(' ')], { runProgram, onPath, ...world })), ran };
}

it.each([
  ['claude', 'claude mcp add --scope user ctx -- ctx mcp', 'claude mcp remove --scope user ctx'],
  ['codex', 'codex mcp add ctx -- ctx mcp', 'codex mcp remove ctx'],
  ['pi', 'pi mcp add ctx -- ctx mcp', 'pi mcp remove ctx'],
])('runs the command of %s, and shows it', async (client, add, remove) => {
  const installed = await run(`install ${client} --yes`);
  expect([installed.exitCode, installed.ran]).toEqual([0, [add]]);
  expect(installed.stdout).toContain(add);
  const removed = await run(`uninstall ${client} --yes`);
  expect([removed.exitCode, removed.ran]).toEqual([0, [remove]]);
});

it('tells the server of Codex where its sessions are', async () => {
  const { ran } = await run('install codex --yes', { env: { CODEX_HOME: '/home/ada/codex' } });
  expect(ran).toEqual(['codex mcp add ctx --env CODEX_HOME=/home/ada/codex -- ctx mcp']);
});

it('runs nothing without consent, and nothing in a dry run', async () => {
  const refused = await run('install claude');
  expect([refused.exitCode, refused.ran]).toEqual([4, []]);
  expect(refused.stderr).toContain('pass --yes');
  const dry = await run('install claude --dry-run');
  expect([dry.exitCode, dry.ran]).toEqual([0, []]);
  expect(dry.stdout).toMatch(/^ {2}claude mcp add/m);
  expect((await run('install claude', { answer: 'n' })).ran).toEqual([]);
  expect((await run('install claude', { answer: 'y' })).ran).toHaveLength(1);
});

it('says what the model gets to see, and passes the flags of the server on', async () => {
  expect((await run('install codex --dry-run')).stdout).toContain('no text');
  const { stdout } = await run('install codex --dry-run --allow-content --root backup --max-tokens 3000');
  expect(stdout).toContain('with secrets replaced; so does the provider');
  expect(stdout).toMatch(/ctx mcp --allow-content --root \/\S*backup --max-tokens 3000/);
});

it('prints what to paste where the agent has no command', async () => {
  const { exitCode, stdout, ran } = await run('install codex --yes', { onPath: ['ctx'] });
  expect([exitCode, ran]).toEqual([1, []]);
  expect(stdout).toContain('codex mcp add ctx -- ctx mcp');
  expect(stdout).toContain('[mcp_servers.ctx]');
  const { stdout: json } = await run('install claude', { onPath: ['ctx'] });
  expect(json).toContain('{"mcpServers":{"ctx":{"command":"ctx","args":["mcp"]}}}');
});

it('names the file of this program, or npx, where ctx is not installed', async () => {
  const self = ['/usr/bin/node', '/opt/ctx/bin/ctx.js'] as const;
  const here = await run('install claude --dry-run', { onPath: ['claude'], self });
  expect(here.stdout).toContain('ctx -- /usr/bin/node /opt/ctx/bin/ctx.js mcp');
  const npx = ['/usr/bin/node', '/home/ada/.npm/_npx/1/node_modules/pi-ctx/bin/ctx.js'] as const;
  const { stdout } = await run('install claude --dry-run', { self: npx });
  expect(stdout).toContain('ctx -- npx -y pi-ctx mcp');
});

it('names the file of a clone that npx runs through a link', async () => {
  const self = ['/usr/bin/node', '/home/ada/ctx/bin/ctx.js'] as const;
  const onPath = ['claude', '/home/ada/.npm/_npx/1/node_modules/.bin/ctx'];
  const { stdout } = await run('install claude --dry-run', { onPath, self });
  expect(stdout).toContain('ctx -- /usr/bin/node /home/ada/ctx/bin/ctx.js mcp');
});

it('fails with the words of the command that fails', async () => {
  const end: ProgramRun = { ...ENDED, stderr: 'ctx already exists\u001b[31m\nmore', exitCode: 1 };
  const { exitCode, stderr } = await run('install claude --yes', { end });
  expect(exitCode).toBe(4);
  expect(stderr).toContain('claude mcp add failed: ctx already exists');
  expect(stderr).toContain('ctx mcp uninstall claude');
  expect(stderr).not.toContain('\u001b');
});

it.each([
  ['instal claude', 'did you mean "install"?'],
  ['install', 'choose one of claude, codex, pi'],
  ['install cloude', 'did you mean "claude"?'],
  ['--yes', 'add [action]'],
])('refuses %s with a hint', async (argv, hint) => {
  const { exitCode, stderr } = await run(argv);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
});
