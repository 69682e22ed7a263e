import type { PiCommandContext, PiContext, PiUi } from '../pi.js';
import { screen } from './screen.js';

/** The width of texts where no terminal has one. */
const COLUMNS = 100;
/** A text of so few lines stays in the transcript. */
const SHORT = 6;

/** The layout of a command's text in a mode of Pi. */
export function columnsIn({ mode }: PiContext, terminal: { readonly columns?: number | undefined }): number {
  return mode === 'tui' ? (terminal.columns ?? COLUMNS) : COLUMNS;
}

export interface ShownText {
  readonly title: string;
  readonly text: string;
  readonly level?: 'info' | 'warning' | 'error';
}

/** Shows a text: in the terminal on a screen that scrolls if it is long, elsewhere as a notice or on standard output. */
export async function show(ctx: PiCommandContext, { title, text, level = 'info' }: ShownText): Promise<void> {
  const lines = linesOf(text);
  if (!ctx.hasUI) print(lines.join('\n'));
  else if (ctx.mode !== 'tui' || lines.length <= SHORT || level !== 'info') ctx.ui.notify(lines.join('\n'), level);
  else await onScreen(ctx.ui, { title, lines });
}

/** Shows a text with a question, and returns whether the user agrees; null if Pi has no dialogs. */
export async function ask(
  ctx: PiCommandContext,
  { title, text }: ShownText,
  question: string,
): Promise<boolean | null> {
  if (!ctx.hasUI) return null;
  const lines = linesOf(text);
  return ctx.mode === 'tui' ? onScreen(ctx.ui, { title, lines, question }) : ctx.ui.confirm(question, lines.join('\n'));
}

/** Prints a text where Pi shows no notices. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function onScreen(ui: PiUi, text: Parameters<typeof screen>[0]): Promise<boolean> {
  return ui.custom<boolean>((tui, theme, keys, done) => screen(text, { tui, theme, keys, done }));
}

function linesOf(text: string): readonly string[] {
  return text.replace(/^\n+|\s+$/g, '').split('\n');
}
