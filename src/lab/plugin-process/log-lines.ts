import type { Readable } from 'node:stream';
import { truncate } from '#base/text.js';

const MOST_LINES = 500;

const LONGEST_LINE = 2000;

/** Passes on the output of a program line by line, up to a limit. The stream is always read to its end. */
export function logLines(streams: readonly (Readable | null)[], onLine: (line: string) => void): void {
  let lines = 0;
  const say = (line: string): void => {
    lines += 1;
    if (lines <= MOST_LINES) onLine(truncate(line, LONGEST_LINE));
    else if (lines === MOST_LINES + 1) onLine('… further output is omitted');
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
      // A line without an end is not kept.
      begun = (begun + last).slice(0, LONGEST_LINE + 1);
    });
    stream?.on('end', () => {
      if (begun !== '') say(begun);
    });
  }
}
