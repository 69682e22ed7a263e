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

/** Sessions of Claude Code that its API refuses, or of which a client reads only the end, by the fault. */
const CLAUDE_CODE: Readonly<Record<string, Break>> = {
  'an image with more than 8,000 pixels': saying(image(png(9000, 3))),
  'a result with such an image': (lines) => {
    blocksOf(results(lines)[1]!)[0]!['content'] = [image(png(9000, 3))];
    return lines;
  },
  'an image with more than 5 MB': saying(image(heavy(4.2e6))),
  'many images with more than 2,000 pixels': saying(...Array.from({ length: 21 }, () => image(png(2100, 2)))),
  'an image with another media type': saying(image(png(9, 3), 'image/jpeg')),
  'more than 100 images': saying(...Array.from({ length: 101 }, () => image(png(9, 3)))),
  'an image that is none': saying(image(Buffer.from('no image'))),
  'a PDF that is none': saying({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from('no PDF').toString('base64') },
  }),
  'half of a surrogate pair': (lines) => {
    blocksOf(results(lines)[1]!)[0]!['content'] = 'cut \ud83d';
    return lines;
  },
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
  'thinking with another text': (lines) => {
    blocksOf(thoughts(lines)[2]!)[0]!['thinking'] = 'It is not enough.';
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
  'a request above the context window': (lines) => {
    promptOf(lines)['content'] = 'many words '.repeat(90_000);
    return lines;
  },
};

/** The items of a rollout of a type, in their order. */
function itemsOf(lines: readonly Line[], type: RegExp): Record<string, unknown>[] {
  return lines.flatMap(({ type: kind, payload }) => {
    const item = payload as Record<string, unknown>;
    return kind === 'response_item' && type.test(String(item['type'])) ? [item] : [];
  });
}

const itemCalls = (lines: readonly Line[]) => itemsOf(lines, /_call$/);
const itemOutputs = (lines: readonly Line[]) => itemsOf(lines, /_call_output$/);

function withoutItem(lines: readonly Line[], gone: JsonObject | undefined): Line[] {
  return lines.filter(({ payload }) => payload !== gone);
}

/** Adds an image to the second prompt. */
function showing(bytes: Buffer, type = 'image/png'): Break {
  return (lines) => {
    const prompt = itemsOf(lines, /^message$/).find((item) => JSON.stringify(item).includes('"Print more"'));
    const url = `data:${type};base64,${bytes.toString('base64')}`;
    (prompt!['content'] as JsonObject[]).push({ type: 'input_image', image_url: url });
    return lines;
  };
}

/** Rollouts of Codex that its API refuses, by the fault. */
const CODEX: Readonly<Record<string, Break>> = {
  'an image with more than 8,000 pixels': showing(png(9000, 3)),
  'an image with another media type': showing(png(9, 3), 'image/jpeg'),
  'an image that is none': showing(Buffer.from('no image')),
  'an image with more than 20 MB': showing(heavy(1.6e7)),
  'a compacted history with such an image': (lines) => {
    const { ordinal, ...last } = lines.at(-1)!;
    const url = `data:image/png;base64,${heavy(1.6e7).toString('base64')}`;
    const content = [
      { type: 'input_text', text: 'Print much' },
      { type: 'input_image', image_url: url },
    ];
    const payload = { message: 'A summary.', replacement_history: [{ type: 'message', role: 'user', content }] };
    const number = typeof ordinal === 'number' ? { ordinal: ordinal + 1 } : {};
    return [...lines, { timestamp: last['timestamp'], ...number, type: 'compacted', payload }];
  },
  'a result without its call': (lines) => withoutItem(lines, itemCalls(lines)[1]),
  'a call without its result': (lines) => withoutItem(lines, itemOutputs(lines)[1]),
  'a second result of a call': (lines) =>
    lines.flatMap((line) => (line['payload'] === itemOutputs(lines)[1] ? [line, structuredClone(line)] : [line])),
  'two calls with one id': (lines) => {
    const [first, second] = itemCalls(lines);
    itemOutputs(lines)[1]!['call_id'] = first!['call_id'];
    second!['call_id'] = first!['call_id'];
    return lines;
  },
  'thinking without its signature': (lines) => {
    itemsOf(lines, /^reasoning$/)[2]!['encrypted_content'] = '[REDACTED]';
    return lines;
  },
  'thinking with another text': (lines) => {
    itemsOf(lines, /^reasoning$/)[2]!['encrypted_content'] = 'b3RoZXI=';
    return lines;
  },
  'a result with an empty text': (lines) => {
    itemOutputs(lines)[1]!['output'] = '';
    return lines;
  },
  'half of a surrogate pair': (lines) => {
    itemOutputs(lines)[1]!['output'] = 'cut \ud83d';
    return lines;
  },
  'a last line that was cut': (lines) => join(lines).slice(0, -80),
  'a line in the middle that was cut': (lines) => {
    const cut = lines.findIndex(({ payload }) => payload === itemOutputs(lines)[2]);
    return [
      join(lines.slice(0, cut)),
      `${JSON.stringify(lines[cut]).slice(0, 200)}\n`,
      join(lines.slice(cut + 1)),
    ].join('');
  },
  'a request above the context window': (lines) => {
    const prompt = itemsOf(lines, /^message$/).find((item) => JSON.stringify(item).includes('"Print more"'));
    prompt!['content'] = [{ type: 'input_text', text: 'many words '.repeat(110_000) }];
    return lines;
  },
};

/** Broken sessions of each agent, by their fault. */
export const BROKEN_SESSIONS = { 'Claude Code': CLAUDE_CODE, Codex: CODEX } as const;

/** The faults that `ctx` does not see, and the flag that repairs them. */
export const UNSEEN: Readonly<Record<string, readonly string[]>> = {
  'thinking with another text': ['--drop', 'thinking'],
};

/** The faults that are no damage, and why `ctx repair` writes no copy. */
export const UNREPAIRED: Readonly<Record<string, RegExp>> = {
  'a request above the context window': /^no record is broken, but the next request has ~\d+,\d{3} tokens/,
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
