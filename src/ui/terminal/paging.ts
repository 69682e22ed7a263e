import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import type { Output } from '#platform/terminal/output.js';
import type { Pager } from '#platform/terminal/pager.js';

/** A terminal that shows long text through a pager. */
export interface Paging {
  readonly stdout: Output;
  /** Prints no progress while the pager has the screen. */
  readonly stderr: Output;
  /** Ends the output. Resolves when the user has left the pager. */
  end(): Promise<void>;
}

/** Starts paging; null if the pager is off, or the output is not a terminal. */
export function startPaging(io: Pick<Io, 'env' | 'stdout' | 'stderr' | 'startPager'>): Paging | null {
  const line = choosePager(io.env);
  if (line === null || !io.stdout.isTerminal) return null;
  let isShowing = false;
  const stdout = pageOutput(io.stdout, async () => {
    const pager = await io.startPager(line);
    isShowing = pager !== null;
    if (!pager && line !== USUAL)
      await io.stderr.write(`ctx: warning: pager ${toVisibleLine(line)} not found: set CTX_PAGER to another program\n`);
    // Many pagers know colours, but no hyperlinks.
    return (
      pager && { ...pager, write: (text) => pager.write(typeof text === 'string' ? text.replaceAll(LINK, '') : text) }
    );
  });
  return {
    stdout,
    stderr: {
      ...io.stderr,
      write(text) {
        const isProgress = typeof text === 'string' && text.startsWith('\r');
        return isShowing && isProgress ? Promise.resolve(true) : io.stderr.write(text);
      },
    },
    async end() {
      await stdout.end();
      isShowing = false;
    },
  };
}

const USUAL = 'less';

/** The line that starts the pager; null where none is wanted. */
export function choosePager({ CTX_PAGER, PAGER, TERM }: Io['env']): string | null {
  const line = (CTX_PAGER ?? PAGER ?? USUAL).trim();
  // A terminal that cannot do anything has no use for a screen of it.
  return line === '' || line === 'cat' || TERM === 'dumb' ? null : line;
}

// oxlint-disable-next-line no-control-regex -- what a terminal is told
const LINK = /\u001b\]8;;[^\u001b]*\u001b\\/g;

/** Keeps text until it is known whether the screen holds it: a screen less a line, where the shell asks for more. */
function pageOutput(output: Output, start: () => Promise<Pager | null>): Output & { end(): Promise<void> } {
  const kept: (string | Uint8Array)[] = [];
  let lines = 0;
  let pager: Pager | null = null;
  let target: Pick<Output, 'write'> | null = null;
  return {
    ...output,
    async write(text) {
      if (target) return target.write(text);
      kept.push(text);
      lines += countLines(text, output.columns);
      if (lines < output.rows) return true;
      pager = await start();
      target = pager ?? output;
      return writeAll(target);
    },
    async end() {
      if (!target) await writeAll(output);
      await pager?.end();
    },
  };

  async function writeAll(to: Pick<Output, 'write'>): Promise<boolean> {
    for (const text of kept.splice(0)) {
      if (!(await to.write(text))) return false;
    }
    return true;
  }
}

/**
 * The lines on the screen; one that is too long counts as several. Colour codes count as well: a pager too often is
 * better than one too rarely.
 */
function countLines(text: string | Uint8Array, columns: number): number {
  const characters = typeof text === 'string' ? text : new TextDecoder().decode(text);
  let lines = 0;
  for (let from = 0; from < characters.length;) {
    const newline = characters.indexOf('\n', from);
    const end = newline === -1 ? characters.length : newline;
    lines += Math.max(1, Math.ceil((end - from) / columns));
    from = end + 1;
  }
  return lines;
}
