import { KIND, kindOf, numberOf } from '../../scan/fields.js';
import type { LineTable } from '../../scan/line-table.js';
import { SLOT, TEXT, TYPE } from './fields.js';

const EMPTY: readonly never[] = [];

/** The objects in the contents of messages: calls and their results, by record. */
export class Blocks {
  /** By the call. */
  private readonly toolNames: Int32Array;

  /** `types`: the type of the record of each line. */
  constructor(
    private readonly table: LineTable,
    private readonly types: Uint8Array,
  ) {
    this.toolNames = new Int32Array(table.texts + 1);
  }

  /** The number of objects in the content. */
  count(line: number): number {
    const word = this.table.at(line, SLOT.content);
    return kindOf(word) === KIND.list ? numberOf(word) : 0;
  }

  /** Records the names of the tools that an answer calls. */
  nameTools(line: number): void {
    const names = this.textsOf(line, TEXT.call, SLOT.blockName);
    for (const [at, id] of this.textsOf(line, TEXT.call, SLOT.blockId).entries())
      if (id !== 0 && names[at]) this.toolNames[id] = names[at];
  }

  /** The name of the tool of a call, empty if it is unknown. */
  toolName(call: number): string {
    const name = this.toolNames[call] ?? 0;
    return name === 0 ? '' : this.table.text(name);
  }

  hasResults(line: number): boolean {
    return this.types[line] === TYPE.user && this.textsOf(line, TEXT.result, SLOT.blockType).length > 0;
  }

  /** The calls whose results a user record contains. */
  results(line: number): readonly number[] {
    if (this.types[line] !== TYPE.user) return EMPTY;
    const calls = this.textsOf(line, TEXT.result, SLOT.blockResult);
    return calls.includes(0) ? calls.map((call) => call || TEXT.empty) : calls;
  }

  /** The calls of an answer. */
  calls(line: number): readonly number[] {
    if (this.types[line] !== TYPE.assistant) return EMPTY;
    const calls = this.textsOf(line, TEXT.call, SLOT.blockId);
    return calls.includes(0) ? calls.filter((call) => call !== 0) : calls;
  }

  /** The texts of a field of all objects of a type in a content; 0 for an object without the field. */
  private textsOf(line: number, type: number, slot: number): readonly number[] {
    let texts: number[] | null = null;
    const first = this.table.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1)
      if (this.textIn(row, SLOT.blockType) === type) (texts ??= []).push(this.textIn(row, slot));
    return texts ?? EMPTY;
  }

  private textIn(row: number, slot: number): number {
    const word = this.table.itemAt(row, slot);
    return kindOf(word) === KIND.text ? numberOf(word) : 0;
  }
}
