import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** A program that shows text, one screen after another. */
export interface Pager {
  /** false: it shows no more. */
  write(text: string | Uint8Array): Promise<boolean>;
  /** Says that this was all. When it is done, the user has left the pager. */
  end(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a pager on the terminal; null where there is no such program. Its settings are those that git gives it. */
export function startPager(line: string, run: NodeJS.Process): Pager | null {
  const [program = ''] = line.split(/\s/);
  if (!isThere(program, run.env)) return null;
  const env = { LESS: 'FRX', LV: '-c', ...run.env };
  const child = spawn(line, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env });
  const isOver = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  let isRead = true;
  // A pager that goes away while it is written to has shown what was wanted.
  child.stdin.on('error', () => (isRead = false));
  void isOver.then(() => (isRead = false));
  // An interrupt is for the pager, which may be searching; the text ends there.
  const interrupted = (): void => {
    isRead = false;
  };
  run.on('SIGINT', interrupted);
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
      run.off('SIGINT', interrupted);
    },
  };
}

/** Leaves a command line of more than a program's name to the shell. */
function isThere(program: string, { PATH = '' }: Environment): boolean {
  if (!/^[\w./+-]+$/.test(program)) return true;
  const places = program.includes('/')
    ? [program]
    : PATH.split(path.delimiter).map((folder) => path.join(folder, program));
  return places.some((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
