import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSqlite } from '#platform/sqlite/sqlite.js';
import { ctxOnDisk, type DiskRun } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';

const FIXTURES = path.join(projectFolder, 'fixtures/agents');
const CLINE = '1784094124598_abcde';
const TASK = '1735689600000';
const CHAT = '0d9b1c52-6f0e-4a3c-9d0e-1b2c3d4e5f60';
const TRANSCRIPT = '7b6c2f10-0a1b-4c2d-8e3f-4a5b6c7d8e9f';
const COMPOSER = '9c1f6b20-7a31-4c7e-9f51-3f0a2b1c4d5e';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'ctx-test-'));
  const put = (from: string, to: string): void => cpSync(path.join(FIXTURES, from), inHome(to), { recursive: true });
  put(`cline/${CLINE}`, `.cline/data/sessions/${CLINE}`);
  put(`cline/tasks/${TASK}`, `.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/${TASK}`);
  const workspace = '.config/Code/User/workspaceStorage/a1b2';
  put('vscode-chat/chat.jsonl', `${workspace}/chatSessions/${CHAT}.jsonl`);
  writeFileSync(inHome(`${workspace}/workspace.json`), '{"folder":"file:///home/ada/my%20app"}');
  mkdirSync(inHome(`${workspace}/some.extension`));
  put('vscode-chat/chat.jsonl', `${workspace}/some.extension/other.jsonl`);
  put('cursor/transcript.jsonl', `.cursor/projects/home-ada-app/agent-transcripts/${TRANSCRIPT}/${TRANSCRIPT}.jsonl`);
  mkdirSync(inHome('.config/Cursor/User/globalStorage'), { recursive: true });
  const database = loadSqlite()(inHome('.config/Cursor/User/globalStorage/state.vscdb'));
  database.exec(readFileSync(path.join(FIXTURES, 'cursor/state.sql'), 'utf8'));
  database.close();
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const inHome = (name: string): string => path.join(home, name);
const run = (argv: readonly string[], cwd = home): Promise<DiskRun> => ctxOnDisk(argv, { home, cwd });

function stateOfHome(): readonly unknown[] {
  return readdirSync(home, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const stat = statSync(inHome(name), { bigint: true });
      return [name, stat.mtimeNs, stat.ctimeNs, stat.isFile() ? readFileSync(inHome(name), 'hex') : 'folder'];
    });
}

/** Commands with `ID` for the session. */
const READING = [
  'show ID',
  'show ID --conversation',
  'show ID @{request:1} --json',
  'log ID --all',
  'tree ID',
  'cat ID HEAD',
  'status ID',
  'cache ID',
  'facts ID',
  'check ID',
  'diff ID',
  'stats ID',
  'grep harbour ID',
  'export ID --format markdown',
  'convert ID --to codex --dry-run',
];

const WITH_TEXT = /^(?:show|log|cat|grep|export) /;

it.each([CLINE, TASK, CHAT, TRANSCRIPT, COMPOSER])(
  'every reading command takes the session %s by its id, and writes nothing',
  async (id) => {
    const before = stateOfHome();
    for (const command of READING) {
      const { exitCode, stdout, stderr } = await run(command.replace('ID', id).split(' '));
      expect([command, exitCode, stderr.replaceAll(/^ctx: (?:warning: |note: |for details: ).*\n/gm, '')]).toEqual([
        command,
        0,
        '',
      ]);
      if (WITH_TEXT.test(command))
        expect([command, stdout]).toEqual([command, expect.stringMatching(/harbour|the ha|north|There too/)]);
    }
    expect(stateOfHome()).toEqual(before);
  },
);

it.each([
  ['cline', /harbour/],
  ['vscode-chat', /There too/],
  ['cursor', /There too/],
] as const)('the newest session of an agent is shown by its name: latest:%s', async (agent, text) => {
  const { exitCode, stdout } = await run(['show', `latest:${agent}`, '--conversation']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(text)]);
});

it('ctx ls lists the sessions of all of them, and nothing else in the folders of the editors', async () => {
  const { stdout } = await run(['ls', '--agent', 'all', '--json']);
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { agent: string; file: string });
  expect(listed.map(({ agent, file }) => `${agent} ${path.relative(home, file)}`).toSorted()).toEqual([
    `cline .cline/data/sessions/${CLINE}/${CLINE}.messages.json`,
    `cline .config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/${TASK}/api_conversation_history.json`,
    `cursor .config/Cursor/User/globalStorage/state.vscdb/${COMPOSER}.json`,
    `cursor .cursor/projects/home-ada-app/agent-transcripts/${TRANSCRIPT}/${TRANSCRIPT}.jsonl`,
    `vscode-chat .config/Code/User/workspaceStorage/a1b2/chatSessions/${CHAT}.jsonl`,
  ]);
});

it('ctx grep finds words in all sessions of an agent', async () => {
  for (const agent of ['cline', 'vscode-chat', 'cursor']) {
    const { exitCode, stdout } = await run(['grep', 'There too', `all:${agent}`]);
    expect([agent, exitCode, stdout]).toEqual([agent, 0, expect.stringContaining('There too')]);
  }
});

it('the newest chat of a working directory is found by the folder that VS Code names', async () => {
  mkdirSync(inHome('x'), { recursive: true });
  writeFileSync(
    inHome('.config/Code/User/workspaceStorage/a1b2/workspace.json'),
    JSON.stringify({ folder: `file://${inHome('x')}` }),
  );
  const other = inHome('.config/Code/User/workspaceStorage/c3d4/chatSessions');
  mkdirSync(other, { recursive: true });
  const text = readFileSync(path.join(FIXTURES, 'vscode-chat/chat.jsonl'), 'utf8');
  writeFileSync(path.join(other, 'newer.jsonl'), text.replaceAll('harbour', 'lighthouse'));
  const here = await run(['show', 'latest:vscode-chat', '--conversation'], inHome('x'));
  const elsewhere = await run(['show', 'latest:vscode-chat', '@{request:1}'], home);
  expect(here.stdout).not.toContain('lighthouse');
  expect(elsewhere.stdout).toContain('lighthouse');
});

it('an archive has the files of a session of Cline byte for byte, also those beside it', async () => {
  const { exitCode } = await run(['archive', CLINE, '--to', inHome('archive')]);
  expect(exitCode).toBe(0);
  const names = readdirSync(inHome('archive'), { recursive: true }).map(String);
  for (const kind of ['messages.json', 'json', 'compaction.json']) {
    const own = readFileSync(inHome(`.cline/data/sessions/${CLINE}/${CLINE}.${kind}`), 'utf8');
    const name = names.find((one) => one.endsWith(`${CLINE}.${kind}.gz`)) ?? `no copy of ${kind}`;
    expect(gunzipSync(readFileSync(path.join(inHome('archive'), name))).toString()).toBe(own);
  }
});

it('a file beside a session that is a pipe, a folder or missing is left out', async () => {
  rmSync(inHome(`.cline/data/sessions/${CLINE}/${CLINE}.json`));
  mkdirSync(inHome(`.cline/data/sessions/${CLINE}/${CLINE}.json`));
  const { exitCode, stdout } = await run(['show', CLINE]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('There too')]);
});
