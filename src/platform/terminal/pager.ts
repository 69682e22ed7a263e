import { findProgram } from '../processes.js';
import { ON_TERMINAL } from './terminal.js';

/** A program that shows text page by page. */
export interface Pager {
  /** Writes. Returns false if it accepts no more. */
  write(text: string | Uint8Array): Promise<boolean>;
  /** Ends the text. Resolves when the user has left the pager. */
  end(): Promise<void>;
}

/** Starts a pager on the terminal; null if the program does not exist. Its settings are those of git. */
export async function startPager(line: string, run: NodeJS.Process): Promise<Pager | null> {
  const [program = ''] = line.split(/\s/);
  // A quoted name and the like is left to the shell.
  if (/^[\w./+-]+$/.test(program) && findProgram(program, run.env) === null) return null;
  const { execa } = await import('execa');
  const child = execa(line, { ...ON_TERMINAL, env: { LESS: 'FRX', LV: '-c', ...run.env } });
  let isRead = true;
  // A pager that exits during a write has shown what the user wanted. An interrupt is for the pager, which may be
  // searching; the text ends there.
  const stop = (): void => {
    isRead = false;
  };
  const isOver = child.then(stop);
  child.stdin.on('error', stop);
  run.on('SIGINT', stop);
  return {
    async write(text) {
      if (!isRead) return false;
      const written = new Promise<void>((resolve) => void child.stdin.write(text, () => resolve()));
      await Promise.race([written, isOver]);
      return isRead;
    },
    async end() {
      child.stdin.end();
      await isOver;
      run.off('SIGINT', stop);
    },
  };
}
