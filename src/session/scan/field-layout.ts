import { isObject, type JsonObject } from '#base/json.js';

/** The part of a field to read: its kind, its text, its time, the fields of the objects in its list, or its number. */
type Reading = 'kind' | 'text' | 'time' | 'list' | 'number';

/** The ways to read a field, in the order of their numbers in the scanner. */
const READINGS: readonly Reading[] = ['kind', 'text', 'time', 'list', 'number'];
/** The words of a field after its first one: the seconds of a time, or the bytes of a number. */
const MORE_WORDS: Readonly<Record<Reading, number>> = { kind: 0, text: 0, time: 1, list: 0, number: 2 };

/** The kinds of values, as in src/session/wasm/line-fields.as.ts. 0: the field is missing. */
export const VALUE_KIND = { null: 1, false: 2, true: 3, number: 4, text: 5, object: 6, list: 7, time: 8 } as const;
const KIND_BITS = 4;

/** The words of a record before its fields: the length of the line, and the place of its first item plus 1. */
const RECORD_HEAD = 2;
/** Times before this number of seconds since 1970 are stored as numbers: it is the first that a word cannot hold. */
const LATEST = 2 ** 32;
/** The first number that a word with the bits of a kind cannot hold. */
const SMALL = 2 ** 28;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A field of a line, or the line itself. */
interface Field {
  readonly path: string;
  readonly name: string;
  readonly reading: Reading;
  /** The place of its first word: in the row of an item if it `isInItem`, else in the record. */
  readonly word: number;
  readonly isInItem: boolean;
  /** The fields of its value. */
  readonly inside: Field[];
}

/** A field as the scanner gets it: its name, reading and place, and the numbers of the fields inside it. */
interface FieldRow {
  readonly name: string;
  readonly mode: number;
  readonly word: number;
  readonly isInItem: boolean;
  readonly first: number;
  readonly end: number;
}

/** The fields of lines that are read, with a place in a record for each of them. */
export class FieldLayout<Name extends string = string> {
  /** The words of 32 bits in a record. */
  readonly recordWords: number;
  /** The words of 32 bits in the row of an item, an object in the list. */
  readonly itemWords: number;
  /** The place of each field in its record, or in the row of an item. */
  readonly wordOf: Readonly<Record<Name, number>>;
  /** Its paths, each with the reading. */
  readonly paths: readonly string[];
  private readonly root: Field;

  /**
   * `paths`: the fields by their names, each after the object that it is in, such as `message:kind` and `message.id`. The
   * text of a field is read, unless another reading follows its path. One of the fields may be a list.
   */
  constructor(paths: Readonly<Record<Name, string>>) {
    this.paths = Object.values(paths);
    this.root = { path: '', name: '', reading: 'kind', word: 0, isInItem: false, inside: [] };
    const fields = [this.root];
    const wordOf: Record<string, number> = {};
    let recordWords = RECORD_HEAD;
    let itemWords = 0;
    for (const [key, text] of Object.entries<string>(paths)) {
      const [path, reading = 'text'] = text.split(':') as [string, Reading?];
      const dot = path.lastIndexOf('.');
      const ownerPath = path.slice(0, Math.max(0, dot));
      const owner = fields.find((field) => field.path === ownerPath) ?? this.root;
      const isInItem = owner.reading === 'list';
      const word = isInItem ? itemWords : recordWords;
      if (isInItem) itemWords += 1;
      else recordWords += 1 + MORE_WORDS[reading];
      const field = { path, name: path.slice(dot + 1), reading, word, isInItem, inside: [] };
      owner.inside.push(field);
      fields.push(field);
      wordOf[key] = word;
    }
    this.wordOf = wordOf as Record<Name, number>;
    this.recordWords = recordWords;
    // Without a list, there are no rows of any length.
    this.itemWords = Math.max(1, itemWords);
  }

  /** The line itself, and all fields. The fields of one object are consecutive. */
  rows(): readonly FieldRow[] {
    const fields = [this.root];
    const rows: FieldRow[] = [];
    for (const { name, reading, word, isInItem, inside } of fields) {
      rows.push({
        name,
        mode: READINGS.indexOf(reading),
        word,
        isInItem,
        first: fields.length,
        end: fields.length + inside.length,
      });
      fields.push(...inside);
    }
    return rows;
  }

  /** Writes the record of a value as the scanner does, and returns the rows of its items. */
  write(value: JsonObject, record: Uint32Array, intern: Intern): readonly Uint32Array[] {
    const items: Uint32Array[] = [];
    const writeInside = (object: JsonObject, fields: readonly Field[], words: Uint32Array): void => {
      for (const { name, reading, word, inside } of fields) {
        if (!Object.hasOwn(object, name)) continue;
        const member = object[name];
        words.set(buildWords(member, reading, intern), word);
        if (reading !== 'list' && isObject(member)) writeInside(member, inside, words);
        for (const listed of listFieldObjects(member, reading)) {
          const item = new Uint32Array(this.itemWords);
          writeInside(listed, inside, item);
          items.push(item);
        }
      }
    };
    writeInside(value, this.root.inside, record);
    return items;
  }
}

type Intern = (text: string) => number;

function listFieldObjects(value: unknown, reading: Reading): readonly JsonObject[] {
  return reading === 'list' && Array.isArray(value) ? value.filter(isObject) : [];
}

function buildWords(value: unknown, reading: Reading, intern: Intern): readonly number[] {
  if (typeof value === 'string') return buildTextWords(value, reading, intern);
  if (typeof value === 'number' && reading === 'number')
    return [VALUE_KIND.number, ...new Uint32Array(Float64Array.of(value).buffer)];
  if (typeof value === 'number') return [packWord(VALUE_KIND.number, toSmallNumber(value))];
  if (typeof value === 'boolean') return [value ? VALUE_KIND.true : VALUE_KIND.false];
  if (value === null) return [VALUE_KIND.null];
  if (Array.isArray(value)) return [packWord(VALUE_KIND.list, listFieldObjects(value, reading).length)];
  return [VALUE_KIND.object];
}

/** The value of a small number; of any other one only whether it is not 0. */
function toSmallNumber(value: number): number {
  const isSmall = Number.isInteger(value) && value >= 0 && value < SMALL;
  return isSmall ? value : Number(value !== 0);
}

function buildTextWords(text: string, reading: Reading, intern: Intern): readonly number[] {
  const time = reading === 'time' && TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (time >= 0 && time < LATEST * 1000 && new Date(time).toISOString() === text)
    return [packWord(VALUE_KIND.time, time % 1000), Math.floor(time / 1000)];
  return [packWord(VALUE_KIND.text, reading === 'text' || reading === 'time' ? intern(text) : Number(text !== ''))];
}

function packWord(kind: number, number: number): number {
  return kind | (number << KIND_BITS);
}

export function valueKindOf(word: number): number {
  return word & ((1 << KIND_BITS) - 1);
}

/** The number of a text, the value of a small number, the length of a list, or the milliseconds of a time. */
export function valueNumberOf(word: number): number {
  return word >>> KIND_BITS;
}

/** The number of a text, 0 for any other value. */
export function textNumberOf(word: number): number {
  return valueKindOf(word) === VALUE_KIND.text ? valueNumberOf(word) : 0;
}

/** Whether a value read by its kind alone is truthy in JavaScript. */
export function isTruthy(word: number): boolean {
  const kind = valueKindOf(word);
  return kind === VALUE_KIND.number || kind === VALUE_KIND.text ? valueNumberOf(word) > 0 : kind > VALUE_KIND.false;
}
