import { isFrozen } from '#base/freeze.js';
import type { RecreatedArgument } from '#platform/plugin.js';
import type { SentItems, ToPlugin } from './protocol.js';

/** The values may leave the transcript, so they are sent again when there are many more than a call has. */
const MOST_LEFT = 1000;

/** The frozen values that a plugin has, so that each is sent once: the messages of a transcript, which grows. */
export class SentValues {
  private readonly ids = new Map<object, number>();
  private readonly values = new Map<number, object>();
  private next = 0;
  /** The most values that a call had. */
  private most = 0;

  /**
   * Arguments as JSON, without those at `places` that are frozen values or lists of them; these are remade in the plugin.
   * `startsOver`: the plugin may forget all values, because no call is running.
   */
  prepare(
    given: readonly unknown[],
    places: readonly RecreatedArgument['at'][],
    startsOver: boolean,
  ): { readonly args: string; readonly remade: readonly RecreatedArgument[]; readonly message: ToPlugin | null } {
    const startsNow = startsOver && this.ids.size > 4 * this.most + MOST_LEFT;
    if (startsNow) this.forget();
    const first = this.next;
    const texts: string[] = [];
    const taken = new Set<unknown>();
    const remade = places.flatMap((at): RecreatedArgument[] => {
      const value = readValueAt(given, at);
      const items: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!items.every(isValue)) return [];
      taken.add(value);
      this.most = Math.max(this.most, items.length);
      const ids = items.map((item) => this.ids.get(item) ?? this.add(item, texts));
      return [{ at, kind: 'sent', ids: Array.isArray(value) ? ids : (ids[0] ?? 0) }];
    });
    const args = JSON.stringify(given, (_, value: unknown) => (taken.has(value) ? null : value));
    const message =
      texts.length > 0 || startsNow ? ({ type: 'values', first, texts, startsOver: startsNow } as const) : null;
    return { args, remade, message };
  }

  /** An answer with the very values that it contains. */
  restore(answer: unknown, sent: readonly SentItems[]): unknown {
    for (const { member, ids } of sent) {
      const list = readValueAt([answer], [0, member]) as unknown[];
      for (const [at, id] of ids.entries()) {
        if (id !== -1) list[at] = this.values.get(id);
      }
    }
    return answer;
  }

  private add(item: object, texts: string[]): number {
    const id = this.next;
    this.next += 1;
    this.ids.set(item, id);
    this.values.set(id, item);
    texts.push(JSON.stringify(item));
    return id;
  }

  private forget(): void {
    this.ids.clear();
    this.values.clear();
    this.most = 0;
  }
}

function isValue(value: unknown): value is object {
  return typeof value === 'object' && value !== null && isFrozen(value);
}

function readValueAt(holder: unknown, at: RecreatedArgument['at']): unknown {
  let value = holder;
  for (const key of at) value = (value as Readonly<Record<string | number, unknown>> | undefined)?.[key];
  return value;
}

/** The values of the host that a plugin keeps. A module gets copies, so that it cannot change them. */
export class KeptValues {
  private readonly values = new Map<number, unknown>();
  /** The newest copy of each. */
  private readonly given = new Map<number, unknown>();
  private readonly idsOfCopies = new WeakMap<object, number>();

  keep({ first, texts, startsOver }: Extract<ToPlugin, { readonly type: 'values' }>): void {
    if (startsOver) {
      this.values.clear();
      this.given.clear();
    }
    for (const [at, text] of texts.entries()) this.values.set(first + at, JSON.parse(text));
  }

  readCopies(ids: number | readonly number[]): unknown {
    return typeof ids === 'number' ? this.copy(ids) : ids.map((id) => this.copy(id));
  }

  isChanged(copies: unknown, ids: number | readonly number[]): boolean {
    const originals = typeof ids === 'number' ? this.values.get(ids) : ids.map((id) => this.values.get(id));
    return !isSame(copies, originals);
  }

  /** An answer without the unchanged copies in its lists, which the host has. */
  omitCopies(answer: unknown): { readonly rest: unknown; readonly sent: readonly SentItems[] } {
    if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype)
      return { rest: answer, sent: [] };
    const sent = Object.entries(answer).flatMap(([member, list]: [string, unknown]): SentItems[] => {
      const ids = Array.isArray(list) ? Array.from(list, (item: unknown) => this.idOf(item)) : [];
      return ids.some((id) => id !== -1) ? [{ member, ids }] : [];
    });
    if (sent.length === 0) return { rest: answer, sent };
    const lists = sent.map(({ member, ids }) => {
      const list = (answer as Readonly<Record<string, readonly unknown[]>>)[member] ?? [];
      return [member, ids.map((id, at) => (id === -1 ? list[at] : null))];
    });
    return { rest: { ...answer, ...Object.fromEntries(lists) }, sent };
  }

  private copy(id: number): unknown {
    const value = this.values.get(id);
    const before = this.given.get(id);
    if (before !== undefined && isSame(before, value)) return before;
    const copy = copyValue(value);
    this.given.set(id, copy);
    if (typeof copy === 'object' && copy !== null) this.idsOfCopies.set(copy, id);
    return copy;
  }

  /** Finds the value that an unchanged copy belongs to; -1: there is none. */
  private idOf(item: unknown): number {
    const id = typeof item === 'object' && item !== null ? this.idsOfCopies.get(item) : undefined;
    return id !== undefined && isSame(item, this.values.get(id)) ? id : -1;
  }
}

/** A copy of parsed JSON. It shares the texts, so it takes much less time than parsing. */
function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  const copy = { ...value };
  for (const [key, member] of Object.entries(value)) {
    // A key may be `__proto__`.
    if (typeof member === 'object' && member !== null) Object.defineProperty(copy, key, { value: copyValue(member) });
  }
  return copy;
}

/** Whether a copy still has the JSON of its value. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  const [some, others] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  return keys.every((key) => Object.hasOwn(other, key) && isSame(some?.[key], others?.[key]));
}
