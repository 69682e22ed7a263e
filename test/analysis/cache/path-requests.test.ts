import { describe, expect, it } from 'vitest';
import { reportCache } from '#analysis/cache/report-cache.js';
import { buildSessionIndex } from '#analysis/listing/session-index.js';
import { activePath } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { fixture, sessionIn } from '../../support/exploring.js';

const usage = (input: number, cacheRead: number) => ({ usage: { input, cacheRead, cacheWrite: 0, output: 1 } });

describe('the cache breaks of paths', () => {
  it.each(['cache-breaks.jsonl', 'weather.jsonl'])('are those of ctx cache in %s', async (name) => {
    const session = await fixture(name);
    const known = buildSessionIndex(session, () => 0);
    for (const _ of known.requests.compare(known.activePath));
    const path = activePath(session.tree);
    const { requests } = reportCache({ session, path, baseline: {} });
    const listed = requests.flatMap(({ request, break: broken }) => (broken ? [[request, broken.class]] : []));
    const breaks = known.requests
      .listOn(known.activePath)
      .map(({ broken }, at) => (broken ? [at + 1, broken.class] : []));
    expect(breaks.filter(({ length }) => length > 0)).toEqual(listed);
    expect(listed.length).toBeGreaterThan(0);
  });

  it('are found once for the common beginning of branches, and kept when the file grows', async () => {
    const log = new Log('grows')
      .user('u1', 'x')
      .assistant('a1', 'one', usage(9000, 1000))
      .assistant('a2', 'two', usage(9000, 0));
    const known = buildSessionIndex(await sessionIn(log.text()), () => 0);
    expect([...known.requests.compare(known.activePath)].length).toBe(3);
    const beginning = known.activePath.subarray(0, 2);
    expect([[...known.requests.compare(beginning)], known.requests.measureProgress(beginning)]).toEqual([[], 1]);
    const grown = buildSessionIndex(
      await sessionIn(log.assistant('a3', 'three', usage(9000, 0)).text()),
      () => 0,
      known,
    );
    expect(grown.requests.listOn(grown.activePath)[1]?.broken).toMatchObject({ class: 'unexplained' });
    expect([...grown.requests.compare(grown.activePath)].length).toBe(4);
  });
});

it('an answer without a recorded model is no model switch, and another model after it is one', async () => {
  const unknown = { model: 'unknown' };
  const log = new Log('models')
    .user('u1', 'x')
    .assistant('a1', 'one')
    .assistant('a2', 'two', unknown)
    .assistant('a3', 'three')
    .assistant('a4', 'four', unknown)
    .assistant('a5', 'five', { model: 'claude-opus-4-5' });
  const session = await sessionIn(log.text());
  const path = activePath(session.tree);
  const { requests } = reportCache({ session, path, baseline: {} });
  expect(requests.map(({ break: broken }) => broken?.class ?? null)).toEqual([null, null, null, null, 'model switch']);
});
