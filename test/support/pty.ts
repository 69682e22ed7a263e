import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** A program in a terminal that nobody looks at. */
export class Pty {
  /** Everything that it wrote. */
  written = '';
  private readonly terminal;
  private readonly process;
  private code: { readonly exitCode: number; readonly signal?: number | undefined } | null = null;

  constructor(
    argv: readonly [string, ...string[]],
    {
      columns = 80,
      rows = 24,
      env = {},
      cwd = '.',
    }: { columns?: number; rows?: number; env?: Record<string, string>; cwd?: string },
  ) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const [file, ...args] = argv;
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TERM: 'xterm-256color' };
    this.process = spawn(file, args, { cols: columns, rows, cwd, env: { ...inherited, ...env } });
    this.process.onData((data) => {
      this.written += data;
      this.terminal.write(data);
    });
    this.process.onExit((code) => void (this.code = code));
  }

  /** The cells of the screen. */
  get cells(): xterm.IBuffer {
    return this.terminal.buffer.active;
  }

  press(keys: string): void {
    this.process.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows);
    this.process.resize(columns, rows);
  }

  kill(signal: string): void {
    this.process.kill(signal);
  }

  /** What stands on the screen, without what is blank at the ends of lines. */
  screen(): string {
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: this.terminal.rows }, (_, at) =>
      (active.getLine(active.baseY + at)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  /** The lines that the terminal itself had to break, as they were too long for it. */
  overlong(): readonly string[] {
    const { active } = this.terminal.buffer;
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)).flatMap((line) =>
      line?.isWrapped ? [line.translateToString(true)] : [],
    );
  }

  /** Waits until the screen shows something. */
  async shows(wanted: string | RegExp): Promise<string> {
    const isThere = (): boolean =>
      typeof wanted === 'string' ? this.screen().includes(wanted) : wanted.test(this.screen());
    await this.until(isThere, () => `${String(wanted)} does not come:\n${this.screen()}`);
    return this.screen();
  }

  /** Waits until the screen has stayed as it is for a while, since a frame may arrive in pieces. */
  async settles(): Promise<void> {
    for (let before = ''; before !== this.screen();) {
      before = this.screen();
      await new Promise((resolve) => void setTimeout(resolve, 300));
    }
  }

  /** Waits until the last frame that began has come whole. */
  async finishesFrame(): Promise<void> {
    await this.until(
      () => this.written.lastIndexOf('\u001b[?2026l') > this.written.lastIndexOf('\u001b[?2026h'),
      () => `the frame does not end:\n${this.screen()}`,
    );
  }

  async ends(): Promise<{ readonly exitCode: number; readonly signal?: number | undefined }> {
    await this.until(
      () => this.code !== null,
      () => `it does not end:\n${this.screen()}`,
    );
    // What it wrote last may come after it has ended.
    await new Promise((resolve) => void setTimeout(resolve, 50));
    await new Promise<void>((resolve) => {
      this.terminal.write('', resolve);
    });
    return this.code!;
  }

  /** Whether the terminal is as it was before: the usual screen, with a cursor, and lines that are edited. */
  isSane(): boolean {
    const { buffer, modes } = this.terminal;
    const cursor = this.written.lastIndexOf('\u001b[?25h') > this.written.lastIndexOf('\u001b[?25l');
    return buffer.active.type === 'normal' && cursor && modes.mouseTrackingMode === 'none';
  }

  close(): void {
    if (this.code === null) this.process.kill('SIGKILL');
    this.terminal.dispose();
  }

  private async until(isDone: () => boolean, why: () => string): Promise<void> {
    const end = Date.now() + LIMIT;
    while (!isDone()) {
      if (Date.now() > end) throw new Error(why());
      await new Promise((resolve) => void setTimeout(resolve, 15));
    }
  }
}

/** Milliseconds: on a busy machine a program takes long to start. */
const LIMIT = 200_000;
