import { existsSync, readFileSync } from 'node:fs';
import { asObject, parseJson } from '#base/json.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import type { CommandEnd } from '../command-line.js';
import type { Live, LivePart } from '../define.js';
import type { PiCommandContext, PiContext } from '../pi.js';
import { findLiveWindow } from '../policy.js';
import { readSessionOfPi, RUNNING_SESSION, useRunningSession } from '../running-session.js';
import { changeSession, isWritingCommand, type RunCommand, toPlainErrors, WRITING_COMMANDS } from './change.js';
import { measureScreenColumns, showText } from './screen.js';
import { quoteWord, readCommandText, splitWords } from './typed-words.js';

const READING = ['show', 'diff', 'cache', 'loss', 'grep', 'status', 'check', 'log', 'tree', 'cat', 'stats'];

const NAMES = [...READING, ...WRITING_COMMANDS];

/** `/ctx`: the command line of ctx on the session of Pi. */
const command: LivePart = {
  name: 'command',
  install(pi, live) {
    let last: PiContext | null = null;
    pi.on('session_start', (_event, ctx) => {
      last = ctx;
    });
    pi.registerCommand('ctx', {
      description: 'Show, explain and shrink the context: show, diff, cache, loss, grep, status, prune, …',
      getArgumentCompletions: (typed) => (last ? listCompletions(live, last, typed) : null),
      handler: (args, ctx) => handleCommand(live, ctx, splitWords(args)),
    });
    pi.registerCommand('ctx-status', {
      description: 'Show the mode, the zone, the packet and the summaries of the context',
      handler: (_args, ctx) => showStatus(live, ctx),
    });
  },
};

export default command;

async function handleCommand(live: Live, ctx: PiCommandContext, words: readonly string[]): Promise<void> {
  const [name] = words;
  if (name === undefined) return showOverview(live, ctx);
  if (!NAMES.includes(name)) {
    const text = `ctx: no command "${name}" inside Pi; there are ${NAMES.join(', ')}`;
    return showText(ctx, { title: '/ctx', text, level: 'error' });
  }
  if (isOtherFile(ctx)) return showText(ctx, { title: '/ctx', text: OTHER_FILE, level: 'warning' });
  const atLeaf = addLeaf(ctx, words);
  const run = createRunner(live, ctx);
  if (isWritingCommand(words)) return changeSession(ctx, { words: atLeaf, run, textOf: renderEnd });
  const end = await run(atLeaf);
  const level = end.exitCode > 1 ? 'error' : 'info';
  const text = name === 'status' ? toOwnCommands(renderEnd(end)) : renderEnd(end);
  await showText(ctx, { title: `/ctx ${words.join(' ')}`, text, level });
}

const OTHER_FILE =
  'ctx: another program has appended to this session, and Pi has not read that; open the session again with /resume';

/** Whether the file contains an entry that Pi does not have in memory. */
function isOtherFile({ sessionManager }: PiContext): boolean {
  const file = sessionManager.getSessionFile();
  if (file === undefined || !existsSync(file)) return false;
  const known = new Set<unknown>(sessionManager.getEntries().map(({ id }) => id));
  return readFileSync(file, 'utf8')
    .split('\n')
    .some((line) => {
      const { id, type } = asObject(parseJson(line));
      return typeof id === 'string' && type !== 'session' && !known.has(id);
    });
}

/** Commands that can work on another entry than the last one of the file, and the most words with which they do. */
const WITH_AT: Readonly<Record<string, number>> = { show: 1, cache: 1, status: 1, grep: 2, prune: 1, compact: 1 };

/** After a move in the tree, Pi goes on elsewhere than the file ends, until it writes the next entry. */
function addLeaf({ sessionManager }: PiContext, words: readonly string[]): readonly string[] {
  const leaf = sessionManager.getLeafId();
  const isAtEnd = leaf === null || sessionManager.getEntries().at(-1)?.id === leaf;
  const most = WITH_AT[words[0] ?? ''];
  return isAtEnd || most === undefined || words.length > most ? words : [...words, '--at', leaf];
}

function createRunner(live: Live, ctx: PiContext): RunCommand {
  const isTerminal = ctx.mode === 'tui';
  const world = useRunningSession(readSessionOfPi(ctx, existsSync));
  return (argv) =>
    live.commandLine(argv, { cwd: ctx.cwd, columns: measureScreenColumns(ctx, process.stdout), isTerminal, world });
}

/** The text of a command, with other commands as they are typed inside Pi. */
function renderEnd({ stdout, stderr, exitCode }: CommandEnd): string {
  const text = [stdout, stderr].filter((part) => part.trim() !== '').join('\n');
  if (text !== '') return toPiWords(text);
  return exitCode === 0 ? 'no output' : 'nothing was found';
}

/** A text of ctx with the commands and the session as they are named inside Pi. */
function toPiWords(text: string): string {
  return text
    .replaceAll(/\bctx ([a-z]+) this-session\b/g, '/ctx $1')
    .replaceAll(/\bctx ([a-z]+) SESSION\b/g, '/ctx $1')
    .replaceAll(RUNNING_SESSION, 'this session');
}

/** The lines of `ctx status` with commands of ctx, by their label. Other lines may have words of the session. */
// oxlint-disable-next-line no-control-regex
const COMMAND_LINE = /^(?:\u001b\[\d+m)*(?:Advice|(?:Next|Try)? +(?:\u001b\[\d+m)*ctx) /;

/** The text of `ctx status` with its commands as they are typed inside Pi. */
function toOwnCommands(text: string): string {
  return text
    .split('\n')
    .map((line) => (COMMAND_LINE.test(line) ? line.replaceAll(/\bctx ([a-z]+)(?: latest)?\b/g, toOwnCommand) : line))
    .join('\n');
}

function toOwnCommand(whole: string, name: string): string {
  return NAMES.includes(name) ? `/ctx ${name}` : whole;
}

async function showOverview(live: Live, ctx: PiCommandContext): Promise<void> {
  const { renderLiveOverview } = await import('./overview.js');
  const inForce = await live.policy(ctx);
  const entries = ctx.sessionManager.getEntries();
  const text = await renderLiveOverview({
    branch: await live.branch(ctx),
    inForce,
    limit: findLiveWindow(ctx, inForce),
    line: entries.findIndex(({ id }) => id === ctx.sessionManager.getLeafId()) + 2,
    columns: measureScreenColumns(ctx, process.stdout),
    isTerminal: ctx.mode === 'tui',
  });
  await showText(ctx, { title: '/ctx', text: toPiWords(text) });
}

/** The mode, the zone, the size of the packet and the summaries, in four lines, as in pi-context-manager. */
async function showStatus(live: Live, ctx: PiCommandContext): Promise<void> {
  const end = await createRunner(live, ctx)(['status', '--json']);
  if (end.exitCode !== 0)
    return showText(ctx, { title: '/ctx-status', text: renderEnd(toPlainErrors(end)), level: 'error' });
  const { mode, zone, tokens, limit, packet, summaries } = JSON.parse(end.stdout) as StatusDocument;
  const of = limit === null ? '' : ` of ${limit.toLocaleString('en')}`;
  const text = [
    `mode     ${mode ?? 'unknown'}`,
    `zone     ${zone ?? 'unknown'}, ${tokens.total.toLocaleString('en')}${of} tokens`,
    `packet   ${packet.tokensEstimated === 0 ? 'none' : `~${packet.tokensEstimated} tokens`}`,
    `summary  ${summaries.length === 0 ? 'none' : summaries.map((one) => `${one.kind}, ~${one.tokensEstimated} tokens`).join('; ')}`,
  ].join('\n');
  await showText(ctx, { title: '/ctx-status', text });
}

/** Commands whose first argument is a session, which inside Pi is its own. */
const WITH_SESSION: ReadonlySet<string> = new Set(NAMES.filter((name) => name !== 'grep' && name !== 'check'));

/** Completes the last word, as the shell completions of ctx do. */
async function listCompletions(live: Live, ctx: PiContext, typed: string): Promise<{ value: string; label: string }[]> {
  const { words, before, last } = readCommandText(typed);
  const [name] = words;
  const argv =
    name === undefined ? [] : [name, ...(WITH_SESSION.has(name) ? [RUNNING_SESSION] : []), ...words.slice(1)];
  const end = await createRunner(live, ctx)(['completion', 'zsh', '--json', '--', ...argv, last]);
  if (end.exitCode !== 0) return [];
  const { candidates } = JSON.parse(end.stdout) as { candidates: { word: string; about: string }[] };
  // A word that is complete is not offered, since Enter would complete it instead of running the line.
  return candidates
    .filter(({ word }) => word !== last && (name !== undefined || NAMES.includes(word)))
    .map(({ word, about }) => ({ value: before + quoteWord(word), label: word, description: about }));
}
