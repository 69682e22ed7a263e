import { afterEach, describe, expect, it } from 'vitest';
import type { EntryWords, Place } from '#analysis/search/session-words.js';
import { type SessionWords, WORD_TABLES, WordIndex } from '#analysis/search/word-index.js';
import { readWordQuery } from '#analysis/search/word-query.js';
import { createMemoryDatabase, type IndexDatabase } from '#platform/sqlite/index-database.js';
import { Random } from '../../support/random.js';
import { runs } from '../../support/runs.js';

let open: IndexDatabase[] = [];
afterEach(async () => {
  for (const database of open) await database.close();
  open = [];
});

function newIndex(): WordIndex {
  const database = createMemoryDatabase(WORD_TABLES);
  open.push(database);
  return new WordIndex(database.sqlite);
}

const EVERYTHING = { isWanted: () => true, places: ['context', 'hidden', 'branch'] as const };

function searchAll(index: WordIndex, typed: string, wants: 'all' | 'any' = 'all'): readonly string[] {
  const found = index.search(readWordQuery(typed)!, wants, EVERYTHING, 10_000);
  return found.map(({ path, entryId }) => `${path} ${entryId}`);
}

function words(entryId: string, said: string, more: Partial<EntryWords> = {}): EntryWords {
  return {
    index: 0,
    line: 2,
    entryId,
    time: 0,
    name: 'user',
    place: 'context',
    said,
    rest: '',
    hash: entryId,
    ...more,
  };
}

function put(index: WordIndex, path: string, ...entries: readonly EntryWords[]): void {
  putSession(index, path, { entries });
}

function putSession(index: WordIndex, path: string, session: Partial<SessionWords>): void {
  const plain = { sessionId: path, agent: null, cwd: null, isSubagent: false, isDerived: false, began: null };
  index.put({ path, state: path }, { ...plain, entries: [], ...session });
}

describe('the index of words', () => {
  it('lists words of the user before those of a tool, and the newest of two that match equally', () => {
    const index = newIndex();
    put(
      index,
      '/a',
      words('tool', '', { rest: 'the harbour', time: 3 }),
      words('old', 'the harbour', { time: 1 }),
      words('new', 'the harbour', { time: 2 }),
    );
    expect(searchAll(index, 'harbour')).toEqual(['/a new', '/a old', '/a tool']);
  });

  it('lists a main session before a subagent, and the original before its copies, whatever was read first', () => {
    const index = newIndex();
    putSession(index, '/copy', { entries: [words('e', 'a harbour')], isDerived: true, began: '2026-01-01' });
    putSession(index, '/later', { entries: [words('e', 'a harbour')], began: '2026-01-03' });
    putSession(index, '/first', { entries: [words('e', 'a harbour')], began: '2026-01-02' });
    putSession(index, '/subagent', { entries: [words('s', 'harbour')], isSubagent: true });
    putSession(index, '/main', { entries: [words('m', `harbour ${'and a ship '.repeat(4)}`)] });
    expect(searchAll(index, 'harbour')).toEqual(['/first e', '/later e', '/copy e', '/main m', '/subagent s']);
  });

  it('keeps to a time, a role and a place', () => {
    const index = newIndex();
    put(
      index,
      '/a',
      words('u', 'harbour', { time: 10 }),
      words('h', 'harbour', { time: 20, name: 'assistant', place: 'hidden' }),
      words('n', 'harbour', { time: null }),
    );
    const search = (filter: object): readonly (string | null)[] =>
      index.search(readWordQuery('harbour')!, 'all', { ...EVERYTHING, ...filter }, 10).map(({ entryId }) => entryId);
    expect(search({ since: 15 })).toEqual(['h']);
    expect(search({ until: 15 })).toEqual(['u']);
    expect(search({ name: 'assistant' })).toEqual(['h']);
    expect(search({ places: ['hidden'] })).toEqual(['h']);
    expect(search({ isWanted: () => false })).toEqual([]);
  });

  it('keeps nothing of a change that failed', () => {
    const index = newIndex();
    put(index, '/a', words('u', 'harbour'));
    expect(() =>
      index.change(() => {
        index.remove('/a');
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(searchAll(index, 'harbour')).toEqual(['/a u']);
  });
});

const PLACES: readonly Place[] = ['context', 'hidden', 'branch'];

/** Finds what a search should find, by looking at all words. */
function findPlainly(files: ReadonlyMap<string, readonly EntryWords[]>, asked: readonly string[]): readonly string[] {
  const found = [...files].flatMap(([path, entries]) =>
    entries
      .filter(({ said, rest }) => {
        const all = `${said} ${rest}`.split(' ');
        return asked.every((one) =>
          one.endsWith('*') ? all.some((word) => word.startsWith(one.slice(0, -1))) : all.includes(one),
        );
      })
      .map(({ entryId }) => `${path} ${entryId}`),
  );
  return found.toSorted();
}

it('a search finds what looking at all words finds, after any changes', () => {
  for (let seed = 0; seed < runs(100); seed += 1) {
    const random = new Random(seed);
    const index = newIndex();
    const files = new Map<string, readonly EntryWords[]>();
    const word = (): string => `w${random.int(0, 12)}${random.chance(0.3) ? 'x' : ''}`;
    const text = (): string => Array.from({ length: random.int(1, 5) }, word).join(' ');
    for (let step = 0; step < 30; step += 1) {
      const path = `/${random.int(0, 5)}`;
      if (random.chance(0.2)) {
        index.remove(path);
        files.delete(path);
      } else {
        const entries = Array.from({ length: random.int(0, 4) }, (_, at) =>
          words(String(at), text(), { rest: random.chance(0.5) ? text() : '', place: PLACES[random.int(0, 2)]! }),
        );
        put(index, path, ...entries);
        files.set(path, entries);
      }
      const asked = Array.from({ length: random.int(1, 2) }, () => (random.chance(0.2) ? `${word()}*` : word()));
      expect([...searchAll(index, asked.join(' '))].toSorted(), `seed ${seed}`).toEqual(findPlainly(files, asked));
    }
    expect([...index.listFiles().keys()].toSorted()).toEqual([...files.keys()].toSorted());
  }
});
