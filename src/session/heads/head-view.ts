import { readFlag, RECORD_WORD } from '../scan/line-scanner.js';
import type { HeadRows } from './head-rows.js';
import type { Head, RawId } from './head.js';

/**
 * One row of the table, read on demand: a path of a hundred thousand entries consists of these. A walk of a path
 * reads type and role most often.
 */
export class HeadView implements Head {
  readonly type: string | null;
  readonly role: string | null;

  constructor(
    private readonly rows: HeadRows,
    readonly index: number,
  ) {
    this.type = rows.type(index);
    this.role = rows.role(index);
  }

  get line(): number {
    return this.rows.line(this.index);
  }
  get offset(): number {
    return this.rows.offset(this.index);
  }
  get length(): number {
    return this.rows.double(this.index, RECORD_WORD.length);
  }
  get id(): RawId {
    return this.rows.id(this.index, 'id');
  }
  get parentId(): RawId {
    return this.rows.id(this.index, 'parentId');
  }
  get target(): RawId {
    return this.rows.id(this.index, 'target');
  }
  get time(): number {
    return this.rows.double(this.index, RECORD_WORD.time);
  }
  get hasSummary(): boolean {
    return readFlag.hasSummary(this.rows.flags(this.index)) === 1;
  }
  get isAdded(): boolean {
    return readFlag.isAdded(this.rows.flags(this.index)) === 1;
  }
  get usageStart(): number {
    return this.rows.word(this.index, RECORD_WORD.usageStart);
  }
  get usageLength(): number {
    return this.rows.word(this.index, RECORD_WORD.usageLength);
  }
}
