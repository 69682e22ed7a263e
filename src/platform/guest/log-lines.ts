import type { Readable } from 'node:stream';

const MOST_LINES = 500;
const LONGEST_LINE = 2000;

/** Hands on what a program prints, line by line, as it comes: so much of it, and not more. It is always read to its end. */
export function logLines(streams: readonly (Readable | null)[], onLine: (line: string) => void): void {
  let lines = 0;
  const say = (line: string): void => {
    lines += 1;
    if (lines <= MOST_LINES) onLine(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
    else if (lines === MOST_LINES + 1) onLine('… it prints more, which is left out');
  };
  for (const stream of streams) {
    let begun = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (lines > MOST_LINES) return;
      const parts = text.split('\n');
      const last = parts.pop() ?? '';
      for (const part of parts) {
        say(begun + part);
        begun = '';
      }
      // What goes on without end need not be kept.
      begun = (begun + last).slice(0, LONGEST_LINE + 1);
    });
    stream?.on('end', () => {
      if (begun !== '') say(begun);
    });
  }
}
