import { textNumberOf, VALUE_KIND, valueKindOf, valueNumberOf } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, KNOWN_TEXT } from './fields.js';

/** The blocks in the messages of lines: the calls of answers, and the results of calls. A call is the text of its id. */
export class MessageBlocks {
  /** The name of the tool of each call, as a text; 0 for a call that is not known. */
  private readonly toolNames: Int32Array;

  constructor(private readonly fields: LineFields) {
    this.toolNames = new Int32Array(fields.texts + 1);
  }

  /** The number of blocks in the message of a line; 0 for one that is a text. */
  count(line: number): number {
    const word = this.fields.at(line, CLAUDE_FIELD.content);
    return valueKindOf(word) === VALUE_KIND.list ? valueNumberOf(word) : 0;
  }

  /** Records the names of the tools that an answer calls. */
  noteToolNames(line: number): void {
    const names = this.listTexts(line, KNOWN_TEXT.toolUse, CLAUDE_FIELD.blockName);
    for (const [at, call] of this.listTexts(line, KNOWN_TEXT.toolUse, CLAUDE_FIELD.blockId).entries()) {
      const name = names[at] ?? 0;
      if (call !== 0 && name !== 0) this.toolNames[call] = name;
    }
  }

  /** The name of the tool of a call, empty if it is unknown. */
  toolNameOf(call: number): string {
    const name = this.toolNames[call] ?? 0;
    return name === 0 ? '' : this.fields.text(name);
  }

  /** Lists the calls that the message of a line makes. */
  listCalls(line: number): readonly number[] {
    const calls = this.listTexts(line, KNOWN_TEXT.toolUse, CLAUDE_FIELD.blockId);
    return calls.includes(0) ? calls.filter((call) => call !== 0) : calls;
  }

  /** Lists the calls whose results the message of a line contains. A result that names no call counts too. */
  listAnsweredCalls(line: number): readonly number[] {
    const calls = this.listTexts(line, KNOWN_TEXT.toolResult, CLAUDE_FIELD.blockResultOf);
    return calls.includes(0) ? calls.map((call) => call || KNOWN_TEXT.empty) : calls;
  }

  /** Whether the message of a line has a text, or blocks other than results. */
  hasMoreThanResults(line: number): boolean {
    const isText = valueKindOf(this.fields.at(line, CLAUDE_FIELD.content)) === VALUE_KIND.text;
    return isText || this.count(line) > this.listAnsweredCalls(line).length;
  }

  /** Lists a field of all blocks of a type in the message of a line: a text each, 0 for a block without the field. */
  private listTexts(line: number, type: number, field: number): readonly number[] {
    const { fields } = this;
    const texts: number[] = [];
    const first = fields.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1) {
      const isOfType = textNumberOf(fields.itemAt(row, CLAUDE_FIELD.blockType)) === type;
      if (isOfType) texts.push(textNumberOf(fields.itemAt(row, field)));
    }
    return texts;
  }
}
