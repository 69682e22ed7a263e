import { Buffer, isUtf8 } from 'node:buffer';
import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { Session } from '../session.js';
import { FieldLayout, VALUE_KIND, valueKindOf, valueNumberOf } from './field-layout.js';
import { FieldScanner, MOST_SCANNED_BYTES } from './field-scanner.js';
import { readFlag } from './line-scanner.js';

/** The fields of a message, and of the blocks of its content. */
const FIELDS = ['provider', 'model', 'stopReason', 'errorMessage', 'toolCallId', 'toolName', 'isError'];
const BLOCK_FIELDS = ['type', 'id', 'name'];
const LAYOUT = new FieldLayout<string>({
  customType: 'customType',
  message: 'message:kind',
  ...Object.fromEntries(FIELDS.map((name) => [`message.${name}`, `message.${name}`])),
  content: 'message.content:list',
  ...Object.fromEntries(BLOCK_FIELDS.map((name) => [`block.${name}`, `message.content.${name}`])),
});
const MESSAGE = toWord('message');
const CONTENT = toWord('content');
type Field = readonly [name: string, word: number];

const IN_ENTRY: readonly Field[] = [['customType', toWord('customType')]];
const IN_MESSAGE: readonly Field[] = FIELDS.map((name) => [name, toWord(`message.${name}`)]);
const IN_BLOCK: readonly Field[] = BLOCK_FIELDS.map((name) => [name, toWord(`block.${name}`)]);

function toWord(name: string): number {
  return LAYOUT.wordOf[name] ?? 0;
}

/** The word of a record that is 0 for a line that is not confirmed. */
const STATUS = 1;
/** The bit of that word for a line with bytes that are not ASCII. */
const FOREIGN = 0x80000000;
const NEWLINE = 0x0a;

/** A tool result as Pi begins it, up to the id of its call. */
const RESULT_BEGINNING =
  /^\{"type":"message","id":"\w+","parentId":"\w+","timestamp":"[\w:.-]+","message":\{"role":"toolResult","toolCallId":"([ !#-[\]-~]*)"/;
const BEGINNING_BYTES = 512;

/**
 * Reads the call and the outcome of a tool result from the beginning of its line and its head. Null for a line that
 * must be parsed. The line scanner confirmed the line, so no key of these is repeated.
 */
export function readResultOutline(
  { tree: { heads }, source }: Session,
  { index, offset, length }: Head,
): JsonObject | null {
  const outcome = readFlag.outcome(heads.flagsAt(index));
  if (outcome === 0) return null;
  const size = Math.min(length, BEGINNING_BYTES);
  const { buffer, byteOffset } = source.read(offset, offset + size);
  const beginning = RESULT_BEGINNING.exec(Buffer.from(buffer, byteOffset, size).toString('latin1'));
  return beginning && { message: { toolCallId: beginning[1], isError: outcome === 2 } };
}

/** A scanner keeps all texts, so another one follows when its memory has this size. */
const LARGE_BYTES = 1 << 25;

/**
 * Reads message entries without their texts: the model and the outcome of an answer, the types, ids and names of its
 * blocks, and the call of a tool result. Each of these values equals that of the parsed entry.
 */
export class OutlineReader {
  private scanner: FieldScanner | null = null;
  /** The decoded texts by number: names are repeated, and ids occur in a call and its result. */
  private texts: string[] = [];

  /** Null for a line that must be parsed. */
  read(session: Session, { offset, length }: Head): JsonObject | null {
    if (session.isStrict || session.agent || session.header.version < 3 || length >= MOST_SCANNED_BYTES) return null;
    if (this.scanner === null || this.scanner.input.buffer.byteLength > LARGE_BYTES) {
      this.scanner = new FieldScanner(LAYOUT);
      this.texts = [];
    }
    return this.readOutline(this.scanner, session.source.read(offset, offset + length));
  }

  private readOutline(scanner: FieldScanner, line: Uint8Array): JsonObject | null {
    const { input } = scanner;
    const { length } = line;
    input.set(line);
    // The last line may lack its newline.
    input[length] = NEWLINE;
    const { records, items } = scanner.scan(0, input[length - 1] === NEWLINE ? length : length + 1);
    const status = records[STATUS] ?? 0;
    if (status === 0 || valueKindOf(records[MESSAGE] ?? 0) !== VALUE_KIND.object) return null;
    // A scan may move the memory for lines.
    if (status >= FOREIGN && !isUtf8(scanner.input.subarray(0, length))) return null;
    const message = this.readFields(IN_MESSAGE, records, 0);
    if (valueKindOf(records[CONTENT] ?? 0) === VALUE_KIND.list) message.content = this.listBlocks(items);
    return { ...this.readFields(IN_ENTRY, records, 0), message };
  }

  private listBlocks(items: Uint32Array): readonly JsonObject[] {
    const blocks: JsonObject[] = [];
    for (let at = 0; at < items.length; at += LAYOUT.itemWords) blocks.push(this.readFields(IN_BLOCK, items, at));
    return blocks;
  }

  private readFields(fields: readonly Field[], words: Uint32Array, from: number): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, place] of fields) {
      const word = words[from + place] ?? 0;
      if (word !== 0) values[name] = this.readValue(word);
    }
    return values;
  }

  private readValue(word: number): unknown {
    const number = valueNumberOf(word);
    switch (valueKindOf(word)) {
      case VALUE_KIND.text:
        this.texts[number] ??= this.scanner?.text(number) ?? '';
        return this.texts[number];
      case VALUE_KIND.number:
        return number;
      case VALUE_KIND.null:
        return null;
      case VALUE_KIND.true:
      case VALUE_KIND.false:
        return valueKindOf(word) === VALUE_KIND.true;
      default:
        return {};
    }
  }
}
