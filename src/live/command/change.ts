import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { asObject, parseJson } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import type { WrittenDocument } from '#change/plan/written-document.js';
import { formatSize } from '#ui/parts/size-words.js';
import type { CommandEnd } from '../command-line.js';
import type { PiCommandContext, PiContext } from '../pi.js';
import { WRITING_COMMANDS } from './names.js';
import type { RunCommand } from './runner.js';
import { askWithText, printText, showText } from './screen.js';

/** Flags with which they append nothing. */
const HARMLESS = /^(?:--dry-run|--plan|--output|-o|--help|-h|--list|--explain)(?:=|$)/;

export function isWritingCommand([name = '', ...words]: readonly string[]): boolean {
  return WRITING_COMMANDS.has(name) && !words.some((word) => HARMLESS.test(word));
}

interface Change {
  /** The words after `/ctx`. */
  readonly words: readonly string[];
  /** Lays texts out for the reader. */
  readonly run: RunCommand;
  /** Shows a text without the short name of the session. */
  textOf(end: CommandEnd): string;
}

/**
 * Shows the plan of a change, asks, appends it, and makes Pi read the session again. Nothing else is written than what
 * was shown: if the session has changed since, it is refused.
 */
export async function changeSession(ctx: PiCommandContext, { words, run, textOf }: Change): Promise<void> {
  const file = ctx.sessionManager.getSessionFile();
  if (file === undefined || !existsSync(file)) return showText(ctx, { title: '/ctx', text: NO_FILE, level: 'warning' });
  if (!ctx.isIdle()) ctx.ui.notify(`/ctx ${words[0]} begins when the agent has finished`, 'info');
  await ctx.waitForIdle();
  const title = `/ctx ${words.join(' ')}`;
  const given = words.filter((word) => word !== '--yes' && word !== '-y');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ctx-live-'));
  try {
    const plan = await planChange(given, path.join(folder, 'plan.json'), run);
    const text = textOf(plan.end);
    if (plan.argv === null)
      return await showText(ctx, { title, text, level: plan.end.exitCode > 1 ? 'error' : 'info' });
    const isAgreed =
      given.length < words.length || (await askWithText(ctx, { title, text }, 'Append this to the session?'));
    if (isAgreed === null) return await showText(ctx, { title, text: `${text}\nnothing was written; --yes writes it` });
    if (!isAgreed) return await showText(ctx, { title, text: 'nothing was written' });
    const end = await run([...plan.argv, '--yes', '--json']);
    if (end.exitCode !== 0) return await showText(ctx, { title, text: textOf(toPlainErrors(end)), level: 'error' });
    await reloadSession(ctx, file, renderWritten(end));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A change that would be made; `argv` makes just that, null: there is nothing to do. */
async function planChange(words: readonly string[], file: string, run: RunCommand) {
  // The entries that apply appends are in a file already.
  if (words[0] === 'apply') {
    const end = await run([...words, '--dry-run']);
    return { end, argv: end.exitCode === 0 ? words : null };
  }
  const { stdout, ...end } = await run([...words, '--plan', file]);
  const text = stdout.split('\n').filter((line) => !line.includes(file));
  return { end: { ...end, stdout: text.join('\n') }, argv: appendsAnything(file) ? ['apply', file] : null };
}

function appendsAnything(plan: string): boolean {
  const { entries } = existsSync(plan) ? asObject(parseJson(readFileSync(plan, 'utf8'))) : {};
  return Array.isArray(entries) && entries.length > 0;
}

const NO_FILE =
  'ctx: this session has no file to append to. Pi writes it with the first answer, and never with --no-session.';

/** An end whose error is a line of text in place of JSON. */
export function toPlainErrors(end: CommandEnd): CommandEnd {
  const { what, where, hint } = asObject(parseJson(end.stderr));
  if (typeof what !== 'string') return end;
  return { ...end, stderr: [`ctx: ${what}`, where, hint].filter((part) => typeof part === 'string').join(': ') };
}

/** The number of entries, the effect and the command that undoes it. */
function renderWritten({ stdout }: CommandEnd): string {
  const { undo, entries, size } = JSON.parse(stdout) as WrittenDocument;
  const { before, after } = size;
  const isSame = before.tokens === after.tokens;
  const less = isSame ? 'the size stays' : `${formatSize(before)} → ${formatSize(after)} tokens`;
  const revision = undo?.split(' ').slice(3).join(' ');
  const how = revision === undefined ? '' : `\nundo: /ctx revert ${revision}`;
  return `ctx: appended ${pluralize(entries.length, 'entry', 'entries')}, ${less}${how}`;
}

/** Pi keeps the session in memory, so it has to read the file again. Its own notice about that comes first. */
async function reloadSession(ctx: PiCommandContext, file: string, text: string): Promise<void> {
  let fresh: PiContext = ctx;
  const { cancelled } = await ctx.switchSession(file, {
    withSession: (next) => {
      fresh = next;
      return Promise.resolve();
    },
  });
  const why = cancelled ? '\nanother extension kept Pi from reading the session again: reopen it' : '';
  if (fresh.hasUI) fresh.ui.notify(`${text}${why}`, cancelled ? 'warning' : 'info');
  else printText(`${text}${why}`);
}
