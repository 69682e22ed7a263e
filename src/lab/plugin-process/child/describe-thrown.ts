import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { truncate } from '#base/text.js';

/** Node.js adds the importing files to its message; the host names the module. */
const REQUIRE_STACK = /\nRequire stack:\n[^]*$/;

/**
 * The message of anything that was thrown, up to a length, with the line of the user's code: `no key (policy.ts:12)`.
 */
export function describeThrown(error: unknown): string {
  try {
    const message = error instanceof Error ? error.message || error.name : `it threw ${String(error)}`;
    const place = error instanceof Error ? findPlace(error.stack) : null;
    return truncate(message.replace(REQUIRE_STACK, ''), LONGEST_MESSAGE) + (place === null ? '' : ` (${place})`);
  } catch {
    return 'it threw a value that cannot be printed';
  }
}

/** A frame of a stack in a file: its path and its line. */
const FRAME = /^ +at (?:.*?\()?(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^()]*?):(\d+):\d+\)?$/gm;

/** The program of this process, and what is installed, are not the user's code. */
const OTHERS = [path.dirname(fileURLToPath(import.meta.url)), 'node_modules'];

/** The innermost place in the user's code. */
function findPlace(stack: unknown): string | null {
  for (const [, file = '', line] of String(stack).matchAll(FRAME)) {
    if (!OTHERS.some((other) => file.includes(other))) return `${path.basename(file)}:${line}`;
  }
  return null;
}

const LONGEST_MESSAGE = 2000;
