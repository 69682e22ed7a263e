import { loadRuler, type Ruler } from '#ui/doc/ruler.js';
import type { PiCommandContext, PiComponent, PiContext, PiKeys, PiTheme, PiTui, PiUi } from '../pi.js';

/** The width of texts where no terminal has one. */
const COLUMNS = 100;
/** A text of so few lines stays in the transcript. */
const SHORT = 6;

/** The layout of a command's text in a mode of Pi. */
export function measureScreenColumns({ mode }: PiContext, terminal: { readonly columns?: number | undefined }): number {
  return mode === 'tui' ? (terminal.columns ?? COLUMNS) : COLUMNS;
}

export interface ShownText {
  readonly title: string;
  readonly text: string;
  readonly level?: 'info' | 'warning' | 'error';
}

/**
 * Shows a text: in the terminal on a screen that scrolls if it is long, elsewhere as a notice or on standard output.
 */
export async function showText(ctx: PiCommandContext, { title, text, level = 'info' }: ShownText): Promise<void> {
  const lines = layOutLines(text);
  if (!ctx.hasUI) printText(lines.join('\n'));
  else if (ctx.mode !== 'tui' || lines.length <= SHORT || level !== 'info') ctx.ui.notify(lines.join('\n'), level);
  else await showOnScreen(ctx.ui, { title, lines });
}

/** Shows a text with a question, and returns whether the user agrees; null if Pi has no dialogs. */
export async function askWithText(
  ctx: PiCommandContext,
  { title, text }: ShownText,
  question: string,
): Promise<boolean | null> {
  if (!ctx.hasUI) return null;
  const lines = layOutLines(text);
  return ctx.mode === 'tui'
    ? showOnScreen(ctx.ui, { title, lines, question })
    : ctx.ui.confirm(question, lines.join('\n'));
}

/** Prints a text where Pi shows no notices. */
export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}

function showOnScreen(ui: PiUi, text: ScreenText): Promise<boolean> {
  return ui.custom<boolean>((tui, theme, keys, done) => createScreen(text, { tui, theme, keys, done }));
}

function layOutLines(text: string): readonly string[] {
  return text.replace(/^\n+|\s+$/g, '').split('\n');
}

/** A text that is shown in Pi's terminal, in place of the editor. */
export interface ScreenText {
  readonly title: string;
  /** Lines for the width of the terminal, with colours. */
  readonly lines: readonly string[];
  /** A question that y or n answers; without one, the screen only closes. */
  readonly question?: string | undefined;
}

/** The parts of Pi's terminal that a screen uses. `done` gets true for a question that is answered by y. */
interface ScreenPlace {
  readonly tui: PiTui;
  readonly theme: PiTheme;
  readonly keys: PiKeys;
  done(isAgreed: boolean): void;
}

/** The lines of Pi below the screen, and one above it. */
const LINES_OF_PI = 6;
/** The lines with the title and the keys, above and below the text. */
const RULES = 2;
const FEWEST_LINES = 3;
/** The cells of a rule without its label and its end: three of its start, and a blank on each side of the label. */
const RULE_CELLS = 5;

/** A screen that scrolls. */
export async function createScreen(text: ScreenText, place: ScreenPlace): Promise<PiComponent> {
  const ruler = await loadRuler(text.lines.map((line) => line.replaceAll(COLOURS, '')));
  return new Screen(text, place, ruler);
}

/** A text that is scrolled, as a component of Pi. */
class Screen implements PiComponent {
  private top = 0;

  constructor(
    private readonly text: ScreenText,
    private readonly place: ScreenPlace,
    private readonly ruler: Ruler,
  ) {}

  render(width: number): string[] {
    const { title, lines } = this.text;
    const { rows } = this;
    this.scrollTo(this.top);
    const shown = lines.slice(this.top, this.top + rows).map((line) => cutLine(line, width, this.ruler));
    return [this.renderRule(title, width), ...shown, this.renderRule(this.formatKeys(), width)];
  }

  handleInput(key: string): void {
    const { keys, done, tui } = this.place;
    const isQuestion = this.text.question !== undefined;
    if (isQuestion && key === 'y') return done(true);
    if (keys.matches(key, 'tui.select.cancel') || key === 'q' || key === 'n') return done(false);
    if (!isQuestion && keys.matches(key, 'tui.select.confirm')) return done(false);
    const to = this.findTarget(key);
    if (to === null) return;
    this.scrollTo(to);
    tui.requestRender();
  }

  handleMouse({ type, wheelDelta = 0 }: { readonly type: string; readonly wheelDelta?: number }): { handled: boolean } {
    if (type === 'wheel') this.scrollTo(this.top + wheelDelta);
    return { handled: type === 'wheel' };
  }

  invalidate(): void {}

  private get rows(): number {
    return Math.min(this.text.lines.length, Math.max(FEWEST_LINES, this.place.tui.terminal.rows - LINES_OF_PI - RULES));
  }

  /** The line to which a key scrolls, which may be out of range; null for another key. */
  private findTarget(key: string): number | null {
    const { keys } = this.place;
    if (keys.matches(key, 'tui.select.up') || key === 'k') return this.top - 1;
    if (keys.matches(key, 'tui.select.down') || key === 'j') return this.top + 1;
    // Pi itself may use the keys for pages.
    if (keys.matches(key, 'tui.select.pageUp') || key === 'b') return this.top - this.rows;
    if (keys.matches(key, 'tui.select.pageDown') || key === ' ') return this.top + this.rows;
    if (key === 'g') return 0;
    return key === 'G' ? this.text.lines.length : null;
  }

  private scrollTo(top: number): void {
    this.top = Math.max(0, Math.min(top, this.text.lines.length - this.rows));
  }

  private renderRule(label: string, width: number): string {
    const { theme } = this.place;
    const room = width - RULE_CELLS;
    // The end of a rule has one cell at least.
    const text = this.ruler.startOf(label, Math.max(0, room - 1));
    const end = '─'.repeat(Math.max(0, room - this.ruler.widthOf(text)));
    return cutLine(`${theme.fg('border', '───')} ${text} ${theme.fg('border', end)}`, width, this.ruler);
  }

  private formatKeys(): string {
    const { lines, question } = this.text;
    const scrolls = lines.length > this.rows;
    const to = Math.min(lines.length, this.top + this.rows);
    const keys = question === undefined ? [] : [question, 'y yes', 'n no'];
    if (scrolls) keys.push(`↑↓ ${this.top + 1}–${to} of ${lines.length}`);
    if (question === undefined) keys.push('esc close');
    return keys.join(' · ');
  }
}

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[\d;]*m/g;
const RESET = '\u001b[0m';

/** A line with colours, cut to a width. */
function cutLine(line: string, width: number, ruler: Ruler): string {
  let left = width;
  let cut = '';
  let end = 0;
  for (const { 0: colour, index } of line.matchAll(COLOURS)) {
    const text = line.slice(end, index);
    const part = ruler.startOf(text, left);
    cut += part;
    if (part.length < text.length) return cut + RESET;
    left -= ruler.widthOf(part);
    cut += colour;
    end = index + colour.length;
  }
  return cut + ruler.startOf(line.slice(end), left);
}
