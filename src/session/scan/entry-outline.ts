import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import type { Session } from '../session.js';
import type { Head } from '../table/head.js';
import { FieldScanner, MOST_BYTES } from './field-scanner.js';
import { FieldLayout, KIND, kindOf, numberOf } from './fields.js';

/** The fields of a message, and of the blocks of its content. */
const FIELDS = ['provider', 'model', 'stopReason', 'errorMessage', 'toolCallId', 'toolName', 'isError'];
const BLOCK_FIELDS = ['type', 'id', 'name'];
const LAYOUT = new FieldLayout([
  'customType',
  'message:kind',
  ...FIELDS.map((name) => `message.${name}`),
  'message.content:list',
  ...BLOCK_FIELDS.map((name) => `message.content.${name}`),
]);
const CUSTOM_TYPE = LAYOUT.slot('customType');
const MESSAGE = LAYOUT.slot('message');
const CONTENT = LAYOUT.slot('message.content');
const IN_MESSAGE = FIELDS.map((name) => [name, LAYOUT.slot(`message.${name}`)] as const);
const IN_BLOCK = BLOCK_FIELDS.map((name) => [name, LAYOUT.slot(`message.content.${name}`)] as const);

/** The word of a record that is 0 for a line that is not confirmed; its highest bit is set for non-ASCII text. */
const STATUS = 1;
const NEWLINE = 0x0a;

/** A scanner keeps all texts, so another one follows after this number of them. */
const MOST_TEXTS = 1 << 16;
let idle: FieldScanner | null = null;

/**
 * Reads a message entry without its texts: the model and the outcome of an answer, the types, ids and names of its
 * blocks, and the call of a tool result. Each of these values equals that of the parsed entry. Null for a line that must
 * be parsed.
 */
export function readOutline(session: Session, head: Head): JsonObject | null {
  const { offset, length } = head;
  if (session.isStrict || session.foreign || session.header.version < 3 || length >= MOST_BYTES) return null;
  idle = idle !== null && idle.texts < MOST_TEXTS ? idle : new FieldScanner(LAYOUT);
  const { input } = idle;
  input.set(session.source.read(offset, offset + length));
  // The last line may lack its newline.
  input[length] = NEWLINE;
  const { records, items } = idle.scan(0, input[length - 1] === NEWLINE ? length : length + 1);
  const status = records[STATUS] ?? 0;
  const isSound = status !== 0 && (status < FOREIGN || isUtf8(input.subarray(0, length)));
  return isSound && kindOf(records[MESSAGE] ?? 0) === KIND.object ? entryOf(idle, records, items) : null;
}

const FOREIGN = 0x80000000;

function entryOf(scanner: FieldScanner, record: Uint32Array, items: Uint32Array): JsonObject {
  const message: Record<string, unknown> = {};
  for (const [name, slot] of IN_MESSAGE) take(scanner, message, name, record[slot] ?? 0);
  if (kindOf(record[CONTENT] ?? 0) === KIND.list) message['content'] = blocksIn(scanner, items);
  const entry: Record<string, unknown> = { message };
  take(scanner, entry, 'customType', record[CUSTOM_TYPE] ?? 0);
  return entry;
}

function blocksIn(scanner: FieldScanner, items: Uint32Array): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  for (let at = 0; at < items.length; at += LAYOUT.itemWords) {
    const block: Record<string, unknown> = {};
    for (const [name, slot] of IN_BLOCK) take(scanner, block, name, items[at + slot] ?? 0);
    blocks.push(block);
  }
  return blocks;
}

function take(scanner: FieldScanner, into: Record<string, unknown>, name: string, word: number): void {
  if (word !== 0) into[name] = valueOf(scanner, word);
}

function valueOf(scanner: FieldScanner, word: number): unknown {
  switch (kindOf(word)) {
    case KIND.text:
      return scanner.text(numberOf(word));
    case KIND.number:
      return numberOf(word);
    case KIND.null:
      return null;
    case KIND.true:
    case KIND.false:
      return kindOf(word) === KIND.true;
    default:
      return {};
  }
}
