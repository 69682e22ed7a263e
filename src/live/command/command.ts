import { existsSync, readFileSync } from 'node:fs';
import { asObject, parseJson } from '#base/json.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import type { Live, LivePart } from '../define.js';
import type { PiCommandContext, PiContext } from '../pi.js';
import { findLiveWindow } from '../policy.js';
import { changeSession, isWritingCommand, toPlainErrors } from './change.js';
import { listCompletions } from './completions.js';
import { COMMAND_NAMES } from './names.js';
import { renderEnd, toOwnCommands, toPiWords } from './pi-words.js';
import { createRunner } from './runner.js';
import { measureScreenColumns, showText } from './screen.js';
import { splitWords } from './typed-words.js';

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
  if (!COMMAND_NAMES.includes(name)) {
    const text = `ctx: no command "${name}" inside Pi; there are ${COMMAND_NAMES.join(', ')}`;
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
  const loadedIds = new Set<unknown>(sessionManager.getEntries().map(({ id }) => id));
  return readFileSync(file, 'utf8')
    .split('\n')
    .some((line) => {
      const { id, type } = asObject(parseJson(line));
      return typeof id === 'string' && type !== 'session' && !loadedIds.has(id);
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
