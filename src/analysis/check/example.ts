import type { JsonObject } from '#base/json.js';
import type { Example } from './define.js';

const TIME = '2026-03-02T09:00:00.000Z';

/** The first line of every example. */
export const HEADER: JsonObject = { type: 'session', version: 3, id: 'example', timestamp: TIME, cwd: '/home/ada' };

/** An entry as Pi writes it. */
export function entry(type: string, id: string, parentId: string | null, rest: JsonObject = {}): JsonObject {
  return { type, id, parentId, timestamp: TIME, ...rest };
}

export function user(id: string, parentId: string | null, content: unknown): JsonObject {
  return entry('message', id, parentId, { message: { role: 'user', content, timestamp: 0 } });
}

export function assistant(
  id: string,
  parentId: string | null,
  content: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  const message = {
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    usage: USAGE,
    stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
    timestamp: 0,
    ...more,
  };
  return entry('message', id, parentId, { message });
}

const USAGE = {
  input: 10,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 12,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function textContent(words: string): JsonObject {
  return { type: 'text', text: words };
}

export function toolCall(id: string, name = 'read', args: JsonObject = { path: 'README.md' }): JsonObject {
  return { type: 'toolCall', id, name, arguments: args };
}

export function toolResult(
  id: string,
  parentId: string | null,
  toolCallId: string,
  words = 'done',
  more: JsonObject = {},
): JsonObject {
  const message = { role: 'toolResult', toolCallId, toolName: 'read', content: [textContent(words)], isError: false };
  return entry('message', id, parentId, { message: { ...message, timestamp: 0, ...more } });
}

/** A system message, as Pi writes it since 0.86. */
export function system(id: string, parentId: string | null, more: JsonObject): JsonObject {
  return entry('message', id, parentId, { message: { role: 'system', content: '', ...more, timestamp: 0 } });
}

/** A session whose next request declares only this tool. */
export function declareTool(name: string, description: string): readonly JsonObject[] {
  const toolsAdded = [{ name, description }];
  return [HEADER, system('s1', null, { toolsAdded }), { ...QUESTION, parentId: 's1' }];
}

export function transform(id: string, parentId: string | null, op: JsonObject): JsonObject {
  const patch = [{ scope: 'cached', invalidateCacheReason: 'an example', ...op }];
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'example', patch });
}

/** A question, its answer, and the next question. */
export const QUESTION = user('u1', null, 'What is in here?');
export const ANSWER = assistant('a1', 'u1', [textContent('A README.')]);
export const NEXT = user('u2', 'a1', 'And what does it say?');

export const ANSWERED: readonly JsonObject[] = [QUESTION, ANSWER];

/** A session that ends at a tool call, and one that ends at its result. */
export const OPEN_CALL: readonly JsonObject[] = [HEADER, QUESTION, assistant('a1', 'u1', [toolCall('c1')])];
export const ANSWERED_CALL: readonly JsonObject[] = [...OPEN_CALL, toolResult('r1', 'a1', 'c1')];

/** Builds the file of an example: a newline ends every line, except a string at the end. */
export function buildExampleFile(example: Example): Uint8Array {
  const parts = example.flatMap((line, at) => {
    if (line instanceof Uint8Array) return [line, NEWLINE];
    const isTail = typeof line === 'string' && at === example.length - 1;
    const whole = typeof line === 'string' ? line : JSON.stringify(line);
    return [encoder.encode(isTail ? whole : `${whole}\n`)];
  });
  return new Uint8Array(Buffer.concat(parts));
}

const encoder = new TextEncoder();
const NEWLINE = encoder.encode('\n');

/** Returns the first half of an entry's line. */
export function tearLine(line: JsonObject | string | undefined): string {
  const whole = JSON.stringify(line);
  return whole.slice(0, whole.length / 2);
}

/** Returns the line of an entry with an invalid byte in its last text. */
export function breakUtf8(line: JsonObject): Uint8Array {
  const bytes = encoder.encode(JSON.stringify(line));
  const at = bytes.lastIndexOf(QUESTION_MARK);
  return bytes.with(at, 0xff);
}

const QUESTION_MARK = 0x3f;

export function declareSections(sections: Readonly<Record<string, string>>): Example {
  return [HEADER, system('s1', null, { sections }), { ...QUESTION, parentId: 's1' }];
}
