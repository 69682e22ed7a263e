import { readFileSync } from 'node:fs';
import { fixtures } from './files.js';
import type { Random } from './random.js';

const ALL = fixtures.map((file) => readFileSync(file));
/** Short ones: there is more to be tried in the same time. */
const FILES = ALL.filter((file) => file.length > 0 && file.length < 4000);
const LINES = ALL.flatMap((file) => file.toString().split('\n').filter(Boolean));

const PIECES = [
  '\n',
  '"',
  '{',
  '}',
  '}{',
  '[',
  ']',
  '\\',
  '\\u',
  '\0',
  '\0\0\0',
  ',',
  ':',
  '\ufeff',
  '\r\n',
  '\u2028',
  'null',
  '1e999',
  ' ',
];
const RUBBISH: readonly unknown[] = [
  null,
  undefined,
  0,
  -1,
  1e308,
  true,
  '',
  'x',
  '\ud800',
  '\0',
  [],
  [[[[]]]],
  {},
  { toString: 1, length: 5 },
  { type: 'text' },
  [null, 7, 'text', { type: 'toolCall' }],
  'message',
  'context_transform',
  'u1',
  'HEAD',
];

/** A fixture to whose bytes and lines something happened. */
export function fuzzedFile(random: Random): Uint8Array {
  let file: Uint8Array = random.pick(FILES);
  for (let times = random.int(1, 5); times > 0; times -= 1)
    file = random.chance(0.6) ? hurt(file, random) : shuffled(file, random);
  return file;
}

/** The line of a fixture with wrong values in it, or wrong bytes, or both. */
export function fuzzedLine(random: Random): Uint8Array {
  const line = random.pick(LINES);
  const text = random.chance(0.7) ? JSON.stringify(spoilt(JSON.parse(parsable(line)), random)) : line;
  const bytes = Buffer.from(text ?? 'null');
  return random.chance(0.4) ? hurt(bytes, random) : bytes;
}

/** Takes bytes out, puts others in, or changes one. */
function hurt(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.int(0, bytes.length);
  const size = random.chance(0.8) ? random.int(0, 4) : random.int(0, 400);
  const end = Math.min(bytes.length, at + size);
  const between = random.chance(0.3)
    ? Uint8Array.of(random.int(0, 255))
    : random.chance(0.1)
      ? bytes.subarray(at, end)
      : Buffer.from(random.pick(PIECES));
  return Buffer.concat([bytes.subarray(0, at), between, bytes.subarray(random.chance(0.1) ? at : end)]);
}

/** Puts lines where they do not belong, or wrong values into one. */
function shuffled(file: Uint8Array, random: Random): Uint8Array {
  const lines = Buffer.from(file).toString('latin1').split('\n');
  const at = random.int(0, lines.length - 1);
  const line = lines[at]!;
  const other = Buffer.from(random.chance(0.5) ? random.pick(LINES) : '').toString('latin1');
  const changed: Readonly<Record<string, readonly string[]>> = {
    twice: [line, line],
    gone: [],
    joined: [line + (lines[at + 1] ?? '')],
    foreign: [line, other],
    elsewhere: [line, random.pick(lines)],
    spoilt: [Buffer.from(fuzzedLine(random)).toString('latin1')],
  };
  lines.splice(at, 1, ...changed[random.pick(Object.keys(changed))]!);
  return Buffer.from(lines.join('\n'), 'latin1');
}

function parsable(line: string): string {
  try {
    JSON.parse(line);
    return line;
  } catch {
    return '{}';
  }
}

/** A value in which one of the values at any depth is another one. */
export function spoilt(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.pick(RUBBISH);
  const keys = Object.keys(value);
  if (keys.length === 0) return random.pick(RUBBISH);
  const key = random.pick(keys);
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  if (random.chance(0.1))
    copy[random.pick(['__proto__', 'id', 'type', 'parentId', 'constructor', 'message', '0'])] = random.pick(RUBBISH);
  copy[key] = spoilt(copy[key], random);
  return copy;
}
