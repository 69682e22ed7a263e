import { describe, expect, it } from 'vitest';
import { check } from '../../support/check.js';
import { type Case, contextOf, corpus } from '../../support/corpus.js';
import { DAMAGES } from '../../support/corruption.js';
import { repairBytes } from '../../support/repaired.js';
import { tried } from '../../support/runs.js';

const cases = await corpus();

it('damages sessions in many ways', () => {
  expect(DAMAGES.length).toBeGreaterThan(45);
  expect(cases.length).toBeGreaterThan(2000);
});

describe.each(DAMAGES)('$name', (kind) => {
  const own = cases.filter((one) => one.kind === kind);
  const some = tried(own, 5);
  const repairs = new Map<Case, Promise<Uint8Array>>();
  const repairOf = (one: Case): Promise<Uint8Array> => {
    const repaired = repairs.get(one) ?? repairBytes(one.bytes).then(({ bytes }) => bytes);
    repairs.set(one, repaired);
    return repaired;
  };

  it('is found', async () => {
    expect(own.length).toBeGreaterThan(3);
    const missed: string[] = [];
    for (const { name, bytes } of some)
      if ((await check(bytes, { rules: kind.rules, requests: 'all' })).length === 0) missed.push(name);
    expect(missed).toEqual([]);
  });

  it('is repaired', async () => {
    const left: unknown[] = [];
    for (const one of some) {
      const found = await check(await repairOf(one), { rules: ['file', 'tree'] });
      const errors = found.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) left.push([one.name, errors]);
    }
    expect(left).toEqual([]);
  });

  it('takes nothing out of the context that can be got back', async () => {
    const missing: unknown[] = [];
    for (const one of some) {
      const { name, messages, changed } = one;
      const context = await contextOf(await repairOf(one));
      const there = context.messages.map(({ json }) => json);
      const gone = messages.filter((json) => !take(there, json));
      if (gone.length > 0) missing.push([name, gone]);
      if (changed !== null && !context.messages.some(({ entryId }) => entryId === changed))
        missing.push([name, changed]);
    }
    expect(missing).toEqual([]);
  });
});

/** Takes one of a value out of a list. */
function take(list: string[], value: string): boolean {
  const at = list.indexOf(value);
  if (at !== -1) list.splice(at, 1);
  return at !== -1;
}
