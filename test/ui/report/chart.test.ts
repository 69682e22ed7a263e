import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Store } from '#ui/report/page/store.js';
import { entry, HEADER, lines, user } from '../../support/entries.js';
import { reported } from '../../support/reports.js';

describe('what changed the context', () => {
  it('are compactions, transforms and edits, and nothing of another name', async () => {
    const { data } = await reported(
      lines(
        HEADER,
        user('u1', null),
        ...['constructor', '__proto__', 'toString'].map((type, at) =>
          entry(type, `x${at}`, at === 0 ? 'u1' : `x${at - 1}`, {}),
        ),
        entry('context_edit', 'e1', 'x2', { targetId: 'u1', replacement: null }),
      ),
    );
    expect(new Store(data).changes()).toEqual([{ entry: 4, kind: 'edit', request: 0 }]);
  });
});

describe('the size of a request', () => {
  it.each([
    ['weather', /^1,402$/, '~1,878'],
    ['edits', /^~\d+$/, '~36'],
  ])('has a mark unless the provider counted it: %s', async (name, first, next) => {
    const { data } = await reported(readFileSync(`fixtures/${name}.jsonl`, 'utf8'));
    const store = new Store(data);
    expect(store.tokensText(0)).toMatch(first);
    expect(store.tokensText(data.requests.onPath - 1)).toBe(next);
  });
});
