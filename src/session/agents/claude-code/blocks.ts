import { KIND, kindOf, numberOf } from '../../scan/fields.js';
import type { LineTable } from '../../scan/line-table.js';
import { BLOCK, SLOT, TEXT, TYPE } from './fields.js';

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
    const first = this.table.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1) {
      if (this.textIn(row, BLOCK.type) !== TEXT.call) continue;
      const [id, name] = [this.textIn(row, BLOCK.id), this.textIn(row, BLOCK.name)];
      if (id !== 0 && name !== 0) this.toolNames[id] = name;
    }
  }

  /** The name of the tool of a call, empty if it is unknown. */
  toolName(call: number): string {
    const name = this.toolNames[call] ?? 0;
    return name === 0 ? '' : this.table.text(name);
  }

  hasResults(line: number): boolean {
    if (this.types[line] !== TYPE.user) return false;
    const first = this.table.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1) if (this.textIn(row, BLOCK.type) === TEXT.result) return true;
    return false;
  }

  /** The calls whose results a user record contains. */
  results(line: number): readonly number[] {
    if (!this.hasResults(line)) return EMPTY;
    const results: number[] = [];
    const first = this.table.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1)
      if (this.textIn(row, BLOCK.type) === TEXT.result) results.push(this.textIn(row, BLOCK.result) || TEXT.empty);
    return results;
  }

  /** The calls of an answer. */
  calls(line: number): readonly number[] {
    if (this.types[line] !== TYPE.assistant) return EMPTY;
    let calls: number[] | null = null;
    const first = this.table.firstItem(line);
    const end = first + this.count(line);
    for (let row = first; row < end; row += 1) {
      const id = this.textIn(row, BLOCK.id);
      if (id !== 0 && this.textIn(row, BLOCK.type) === TEXT.call) (calls ??= []).push(id);
    }
    return calls ?? EMPTY;
  }

  private textIn(row: number, slot: number): number {
    const word = this.table.itemAt(row, slot);
    return kindOf(word) === KIND.text ? numberOf(word) : 0;
  }
}
