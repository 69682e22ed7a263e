import { Buffer } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import { png } from './pictures.js';

/** A record of a transcript, which is changed in place. */
type Line = Record<string, unknown>;

/** Breaks the lines of a session; a text is the whole file. */
export type Break = (lines: Line[]) => readonly Line[] | string;

function blocksOf(line: Line): Record<string, unknown>[] {
  const { content } = line['message'] as JsonObject;
  return Array.isArray(content) ? (content as Record<string, unknown>[]) : [];
}

function withBlock(lines: readonly Line[], type: string, block: string): readonly Line[] {
  return lines.filter((line) => line['type'] === type && blocksOf(line).some((each) => each['type'] === block));
}

const results = (lines: readonly Line[]) => withBlock(lines, 'user', 'tool_result');
const calls = (lines: readonly Line[]) => withBlock(lines, 'assistant', 'tool_use');
const thoughts = (lines: readonly Line[]) => withBlock(lines, 'assistant', 'thinking');
const sayings = (lines: readonly Line[]) => withBlock(lines, 'assistant', 'text');

/** The second prompt of the user. */
function promptOf(lines: readonly Line[]): Record<string, unknown> {
  const line = lines.find(
    ({ type, message }) => type === 'user' && (message as JsonObject)['content'] === 'Print more',
  );
  return line!['message'] as Record<string, unknown>;
}

/** The lines without one, whose children follow its parent. */
function without(lines: readonly Line[], gone: Line): Line[] {
  const rest = lines.filter((line) => line !== gone);
  for (const line of rest) if (line['parentUuid'] === gone['uuid']) line['parentUuid'] = gone['parentUuid'];
  return rest;
}

function image(bytes: Buffer, type = 'image/png'): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: type, data: bytes.toString('base64') } };
}

/** Adds blocks to the second prompt. */
function saying(...blocks: readonly JsonObject[]): Break {
  return (lines) => {
    promptOf(lines)['content'] = [{ type: 'text', text: 'Print more' }, ...blocks];
    return lines;
  };
}

function join(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A picture with many bytes. */
const heavy = (bytes: number): Buffer => Buffer.concat([png(300, 300), Buffer.alloc(bytes, 0x5a)]);

const GONE = '22222222-2222-4222-8222-222222222222';

/** Sessions of Claude Code that its API refuses, or of which a client reads only the end. */
export const BROKEN_SESSIONS: Readonly<Record<string, Break>> = {
  'an image with more than 8,000 pixels': saying(image(png(9000, 3))),
  'a result with such an image': (lines) => {
    blocksOf(results(lines)[1]!)[0]!['content'] = [image(png(9000, 3))];
    return lines;
  },
  'an image with more than 5 MB': saying(image(heavy(4.2e6))),
  'many images with more than 2,000 pixels': saying(...Array.from({ length: 21 }, () => image(png(2100, 2)))),
  'an image with another media type': saying(image(png(9, 3), 'image/jpeg')),
  'more than 32 MB of images': saying(...Array.from({ length: 9 }, () => image(heavy(2.9e6)))),
  'a result without its call': (lines) => without(lines, calls(lines)[1]!),
  'a call without its result': (lines) => without(lines, results(lines)[1]!),
  'a second result of a call': (lines) => {
    const again = results(lines)[1]!;
    blocksOf(again).push(structuredClone(blocksOf(again)[0]!));
    return lines;
  },
  'two calls with one id': (lines) => {
    const [first, second] = calls(lines);
    const id = blocksOf(first!)[0]!['id'];
    const old = blocksOf(second!)[0]!['id'];
    for (const block of lines.flatMap((line) => (line['type'] === 'user' ? blocksOf(line) : [])))
      if (block['tool_use_id'] === old) block['tool_use_id'] = id;
    blocksOf(second!)[0]!['id'] = id;
    return lines;
  },
  'thinking without its signature': (lines) => {
    blocksOf(thoughts(lines)[2]!)[0]!['signature'] = '';
    return lines;
  },
  'an answer that ends with thinking': (lines) => without(lines, sayings(lines)[1]!),
  'an empty text in an answer': (lines) => {
    blocksOf(sayings(lines)[1]!)[0]!['text'] = '';
    return lines;
  },
  'an empty text beside a prompt': saying({ type: 'text', text: '' }),
  'a result with an empty text': (lines) => {
    blocksOf(results(lines)[1]!)[0]!['content'] = [{ type: 'text', text: '' }];
    return lines;
  },
  'a failed result without a text': (lines) => {
    Object.assign(blocksOf(results(lines)[1]!)[0]!, { content: '', is_error: true });
    return lines;
  },
  'a parent that is not there': (lines) => {
    const prompt = promptOf(lines);
    lines.find(({ message }) => message === prompt)!['parentUuid'] = GONE;
    return lines;
  },
  'parents in a circle': (lines) => {
    lines.find(({ uuid, parentUuid }) => uuid !== undefined && parentUuid === null)!['parentUuid'] =
      sayings(lines).at(-1)!['uuid'];
    return lines;
  },
  'a last line that was cut': (lines) => {
    const last = lines.indexOf(sayings(lines).at(-1)!);
    return join(lines.slice(0, last + 1)).slice(0, -80);
  },
  'a line in the middle that was cut': (lines) => {
    const cut = lines.indexOf(results(lines)[2]!);
    return [
      join(lines.slice(0, cut)),
      `${JSON.stringify(lines[cut]).slice(0, 200)}\n`,
      join(lines.slice(cut + 1)),
    ].join('');
  },
};

/** The file of a broken session. */
export function breakSession(text: string, how: Break): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const broken = how(lines);
  return typeof broken === 'string' ? broken : join(broken);
}
