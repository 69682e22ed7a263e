import { asString, isObject, parseJson } from '#base/json.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import { BRACE, COMMA, NEWLINE, RETURN, SPACE, TAB } from '../bytes/ascii.js';
import { type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { utf8Decoder } from '../bytes/flaws.js';
import { type PartialJson, readPartialJson } from '../bytes/partial-json.js';
import type { TextEdit } from '../bytes/text-edit.js';

/** Completes messages that make Pi stop: calls without arguments, and content that is a text. */
export function repairMessages(source: ByteSource, file: string): EditedFile {
  const editor = new FileEditor(source);
  for (const head of scanSession(source, file).heads) {
    if (head.type !== 'message' || !(head.role === 'assistant' || head.role === 'toolResult')) continue;
    const bytes = source.read(head.offset, head.offset + head.length);
    for (const { start, end, text, code, message } of listCompletions(bytes)) {
      editor.keepTo(head.offset + start);
      editor.add(text);
      editor.skipTo(head.offset + end);
      editor.note(code, head, message);
    }
  }
  return editor.finish();
}

/** A change of a message. */
interface Completion extends TextEdit {
  /** The rule that finds it. */
  readonly code: string;
  readonly message: string;
}

/** Lists what completes the blocks of a message, in the order of the line. */
function* listCompletions(bytes: Uint8Array): Generator<Completion> {
  const entry = parseJson(utf8Decoder.decode(bytes));
  const message = isObject(entry) ? entry.message : null;
  if (!isObject(message)) return;
  const { content } = message;
  const isText = typeof content === 'string';
  if (!isText && !(Array.isArray(content) && content.some(lacksArguments))) return;
  const place = findMember(bytes, findMember(bytes, bytes.indexOf(BRACE), 'message')?.start, 'content');
  if (!place) return;
  if (isText) {
    const text = JSON.stringify([{ type: 'text', text: content }]);
    yield { ...place, text, code: 'message-fields', message: 'its text is now a content block' };
    return;
  }
  let at = place.start + 1;
  for (const block of Array.isArray(content) ? content : []) {
    const start = findValueStart(bytes, at);
    const { end, members } = readPartialJson(bytes, start);
    if (lacksArguments(block)) yield completeArguments(block, members);
    at = end;
  }
}

/** A tool call without an object of arguments, which Pi counts and providers require. */
type BareCall = Readonly<Record<string, unknown>>;

function lacksArguments(block: unknown): block is BareCall {
  return isObject(block) && block.type === 'toolCall' && !isObject(block.arguments);
}

/** The arguments as an object. Providers of OpenAI's kind write them as a text with JSON. */
function toArguments(value: unknown): object {
  const parsed = typeof value === 'string' ? parseJson(value) : null;
  if (isObject(parsed)) return parsed;
  return isNothing(value) ? {} : { input: value };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function completeArguments(call: BareCall, members: PartialJson['members']): Completion {
  const value = call.arguments;
  const text = JSON.stringify(toArguments(value));
  const there = members.findLast(({ key }) => key === 'arguments');
  const last = members.at(-1)?.end ?? 0;
  const place = there ?? { start: last, end: last };
  const name = JSON.stringify(asString(call.id) ?? asString(call.name) ?? '');
  return {
    start: place.start,
    end: place.end,
    text: there ? text : `,"arguments":${text}`,
    code: 'block-fields',
    message: isNothing(value)
      ? `the call ${name} has empty arguments now`
      : `the arguments of the call ${name} are an object now`,
  };
}

function findMember(bytes: Uint8Array, start: number | undefined, name: string): TextEdit | null {
  const member =
    start === undefined ? undefined : readPartialJson(bytes, start).members.findLast(({ key }) => key === name);
  return member ? { start: member.start, end: member.end, text: '' } : null;
}

const WHITE_SPACE: ReadonlySet<number> = new Set([SPACE, TAB, NEWLINE, RETURN]);

/** The position of the next value of a list. */
function findValueStart(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === COMMA || WHITE_SPACE.has(bytes[at] ?? 0)) at += 1;
  return at;
}
