import { spawn } from 'node:child_process';

/** The programs that open a file as the user's desktop does. */
const OPENERS: Partial<Readonly<Record<NodeJS.Platform, readonly [name: string, ...args: readonly string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The time in milliseconds after which a program that still runs has opened the file. */
const OPENED_AFTER = 2000;

/** Opens a file in the user's browser, which outlives this process. Returns false if there is none. */
export function openInBrowser(
  file: string,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'>,
): Promise<boolean> {
  const [name, ...args] = OPENERS[platform] ?? ['xdg-open'];
  const child = spawn(name, [...args, file], { detached: true, stdio: 'ignore', env });
  child.unref();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPENED_AFTER);
    const end = (isOpen: boolean): void => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
