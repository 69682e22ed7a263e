import { NONE } from '../../heads/id-index.js';
import { isTruthy, textNumberOf } from '../../scan/field-layout.js';
import type { LineFields } from '../../scan/line-fields.js';
import { Blocks, CallList, CLAUDE_FIELD, isProviderAnswer, KNOWN_TEXT, RECORD_TYPE } from './fields.js';

/**
 * The records of a file and their parents. A record is the number of its line, from 0. Of those with one uuid, the last
 * line wins, at the place of the first. Its loops read the words of the table themselves, since they run once, over
 * tens of thousands of lines.
 */
export class RecordLinks {
  /** All records of the chain. */
  readonly order: Int32Array;
  /** The type of the record of each line; 0 for all other lines. */
  readonly types: Uint8Array;
  /** The record that each one names as its parent; NONE if it names none, or none in the file. */
  readonly parents: Int32Array;
  /** 1 for each record of the conversation itself, not of a subagent. */
  readonly main: Uint8Array;
  readonly calls = new CallList();
  readonly results = new CallList();
  /** The summaries of compactions. */
  readonly summaries: number[] = [];
  protected readonly systems: number[] = [];
  /** The models of all answers of providers, as texts. */
  readonly models = new Set<number>();
  /** The lines that may contain more than a message or progress. */
  readonly others: number[] = [];
  /** The blocks of their contents. */
  readonly blocks: Blocks;
  private readonly byUuid: Int32Array;

  constructor(readonly table: LineFields) {
    const { length } = table;
    this.types = new Uint8Array(length);
    this.main = new Uint8Array(length);
    this.parents = new Int32Array(length).fill(NONE);
    this.byUuid = new Int32Array(table.texts + 1);
    this.blocks = new Blocks(table);
    this.order = this.sorted();
  }

  /** The record of a uuid. */
  lineOf(uuid: number): number {
    return (this.byUuid[uuid] ?? 0) - 1;
  }

  /** The records of the chain in order. Collects the other lines too. */
  private sorted(): Int32Array {
    const { table, types, byUuid, others } = this;
    const { words, recordWords, length } = table;
    const order = new Int32Array(length);
    const places = new Int32Array(length);
    let count = 0;
    for (let line = 0, at = 0; line < length; line += 1, at += recordWords) {
      const type = textNumberOf(words[at + CLAUDE_FIELD.type] ?? 0);
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.uuid] ?? 0);
      const isChain = type >= RECORD_TYPE.user && type <= RECORD_TYPE.progress && uuid !== 0;
      if (
        !isChain ||
        type === RECORD_TYPE.system ||
        words[at + CLAUDE_FIELD.attached] !== 0 ||
        words[at + CLAUDE_FIELD.rendered] !== 0
      )
        others.push(line);
      if (!isChain) continue;
      const before = (byUuid[uuid] ?? 0) - 1;
      let place = count;
      if (before === NONE) count += 1;
      else {
        place = places[before] ?? 0;
        types[before] = 0;
      }
      types[line] = type;
      places[line] = place;
      order[place] = line;
      byUuid[uuid] = line + 1;
      if (type === RECORD_TYPE.assistant) this.blocks.nameTools(line);
    }
    return order.subarray(0, count);
  }

  /** Finds the parents of all records, their calls and the results of these. */
  protected link(isOfSubagent: boolean): void {
    const { table, types, main, order, parents, byUuid } = this;
    const { words, recordWords } = table;
    for (let place = 0; place < order.length; place += 1) {
      const line = order[place] ?? 0;
      const type = types[line] ?? 0;
      const at = line * recordWords;
      const uuid = textNumberOf(words[at + CLAUDE_FIELD.parent] ?? 0);
      if (uuid !== 0 && uuid !== KNOWN_TEXT.empty) parents[line] = (byUuid[uuid] ?? 0) - 1;
      if (type === RECORD_TYPE.progress) continue;
      const isSide = !isOfSubagent && isTruthy(words[at + CLAUDE_FIELD.isSide] ?? 0);
      if (!isSide && !isTruthy(words[at + CLAUDE_FIELD.team] ?? 0)) main[line] = 1;
      if (type === RECORD_TYPE.system) this.systems.push(line);
      if (type === RECORD_TYPE.assistant && isProviderAnswer(table, line))
        this.models.add(table.textAt(line, CLAUDE_FIELD.model));
      if (type === RECORD_TYPE.assistant) this.calls.add(line, this.blocks.calls(line));
      if (type !== RECORD_TYPE.user) continue;
      this.results.add(line, this.blocks.results(line));
      if (isTruthy(words[at + CLAUDE_FIELD.isSummary] ?? 0)) this.summaries.push(line);
    }
  }
}
