import { textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, KNOWN_TEXT } from './fields.js';

/** The objects in the contents of messages: calls and their results, by record. */
export class Blocks {
  /** By the call. */
  private readonly toolNames: Int32Array;

  constructor(private readonly fields: LineFields) {
    this.toolNames = new Int32Array(fields.texts + 1);
  }

  /** The number of objects in the content. */
  count(line: number): number {
    const word = this.fields.at(line, CLAUDE_FIELD.content);
    return valueKindOf(word) === VALUE_KIND.list ? valueNumberOf(word) : 0;
  }

  /** Records the names of the tools that an answer calls. */
  nameTools(line: number): void {
    const { items, itemWords } = this.fields;
    const first = this.fields.firstItem(line) * itemWords;
    const end = first + this.count(line) * itemWords;
    for (let at = first; at < end; at += itemWords) {
      const id = textNumberOf(items[at + CLAUDE_FIELD.blockId] ?? 0);
      const name = textNumberOf(items[at + CLAUDE_FIELD.blockName] ?? 0);
      if (id !== 0 && name !== 0 && textNumberOf(items[at + CLAUDE_FIELD.blockType] ?? 0) === KNOWN_TEXT.call)
        this.toolNames[id] = name;
    }
  }

  /** The name of the tool of a call, empty if it is unknown. */
  toolName(call: number): string {
    const name = this.toolNames[call] ?? 0;
    return name === 0 ? '' : this.fields.text(name);
  }

  /** The calls whose results the message of a line contains. */
  results(line: number): readonly number[] {
    const calls = this.textsOf(line, KNOWN_TEXT.result, CLAUDE_FIELD.blockResult);
    // A result without a call is one, too.
    return calls.includes(0) ? calls.map((call) => call || KNOWN_TEXT.empty) : calls;
  }

  /** Whether the message of a line has a text, or blocks other than results. */
  hasOther(line: number): boolean {
    const isText = valueKindOf(this.fields.at(line, CLAUDE_FIELD.content)) === VALUE_KIND.text;
    return isText || this.count(line) > this.results(line).length;
  }

  /** The calls that the message of a line makes. */
  calls(line: number): readonly number[] {
    const calls = this.textsOf(line, KNOWN_TEXT.call, CLAUDE_FIELD.blockId);
    return calls.includes(0) ? calls.filter((call) => call !== 0) : calls;
  }

  /** The texts of a field of all objects of a type in a content; 0 for an object without the field. */
  private textsOf(line: number, type: number, field: number): readonly number[] {
    const texts: number[] = [];
    const { items, itemWords } = this.fields;
    const first = this.fields.firstItem(line) * itemWords;
    const end = first + this.count(line) * itemWords;
    for (let at = first; at < end; at += itemWords)
      if (textNumberOf(items[at + CLAUDE_FIELD.blockType] ?? 0) === type)
        texts.push(textNumberOf(items[at + field] ?? 0));
    return texts;
  }
}

/** Calls, or results of calls, each with its record. Those of one record are consecutive. */
export class CallList {
  readonly lines: number[] = [];
  readonly calls: number[] = [];

  add(line: number, calls: readonly number[]): void {
    for (const call of calls) {
      this.lines.push(line);
      this.calls.push(call);
    }
  }
}
