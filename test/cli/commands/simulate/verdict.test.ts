import { describe, expect, it } from 'vitest';
import { describeVerdict, rankEngines } from '#cli/commands/simulate/verdict.js';

describe('the verdict', () => {
  type Judged = Parameters<typeof describeVerdict>[0][number];
  const run: Judged = {
    name: 'recorded',
    totalCost: 10,
    billedTokens: 1000,
    overflows: 0,
    unsendable: 0,
    refused: [],
    breaches: [],
    failure: null,
    reread: { calls: 0, tokensEstimated: 0 },
  };
  const build = (name: string, more: Partial<Judged>): Judged => ({ ...run, name, ...more });
  const refused = [{ rule: 'empty-request', requests: 3, first: 1, message: 'the request has no message' }];
  const breaches = [{ clause: 'maintenance', sentence: 's', message: 'm', times: 2, request: 1 }];

  it('names the cheapest engine that has the fewest requests over the budget', () => {
    const cheap = build('cheap', { totalCost: 5, overflows: 2 });
    const sound = build('sound', { totalCost: 7.5, reread: { calls: 1, tokensEstimated: 9 } });
    expect(describeVerdict([run, cheap, sound])).toBe(
      'sound is the cheapest: $7.50, the recorded run $10.00 (-25%). ' +
        '1 call repeated a result that it had dropped, and no request was over the budget.',
    );
  });

  it('names the bill if the model predicts another one for the recorded run', () => {
    const engines = [run, build('sound', { totalCost: 7.5 })];
    expect(describeVerdict(engines, { billed: 20 })).toMatch(
      / These costs are predicted; as billed, the run cost \$20\.00\.$/,
    );
    expect(describeVerdict(engines, { billed: 10.05 })).not.toMatch(/billed/);
  });

  it('calls a tie a tie', () => {
    const tie = ['pi', 'turn-prune', 'none'].map((name) => build(name, { totalCost: 7.5 }));
    expect(describeVerdict([run, ...tie])).toBe(
      'pi, turn-prune and none are the cheapest: $7.50 each, the recorded run $10.00 (-25%). ' +
        'No call repeated a result that they had dropped, and no request was over the budget.',
    );
    const near = [build('pi', { totalCost: 7.5 }), build('none', { totalCost: 7.55 }), build('more', { totalCost: 8 })];
    expect(describeVerdict([run, ...near])).toMatch(
      /^pi and none are the cheapest: \$7\.50 and \$7\.55, less than 1% apart, the recorded run/,
    );
    expect(describeVerdict([run, ...tie.map((engine) => ({ ...engine, totalCost: 10 }))])).toMatch(
      /^No engine is cheaper than the recorded run; next are pi, turn-prune and none: \$10\.00 each/,
    );
  });

  it('puts last what a provider rejects and what breaks the contract, and says why', () => {
    const empty = build('empty', { totalCost: 1, unsendable: 3, refused });
    const liar = build('liar', { totalCost: 2, breaches });
    const sound = build('sound', { totalCost: 7.5 });
    expect(describeVerdict([run, empty, liar, sound])).toMatch(
      /^sound is the cheapest: .* empty is last: providers reject 3 requests \(empty-request, first at request 1\)\. liar is last: it breaks the contract \(maintenance, 2 times\)\.$/,
    );
    expect(describeVerdict([run, empty])).toMatch(/^No engine can be used\. empty is last: /);
    expect(rankEngines([run, empty, liar, sound]).map(({ name }) => name)).toEqual([
      'recorded',
      'sound',
      'empty',
      'liar',
    ]);
  });

  it('does not hold against an engine what the recorded run had refused too', () => {
    const same = build('same', { totalCost: 5, unsendable: 3, refused });
    expect(describeVerdict([{ ...run, unsendable: 3, refused }, same])).toMatch(/^same is the cheapest/);
  });

  it('says so where nothing is better', () => {
    expect(describeVerdict([run, build('other', { totalCost: 9.95 })])).toMatch(
      /^No engine is cheaper than the recorded run; next is other: \$9\.95/,
    );
  });

  it('uses tokens if costs are unknown or zero', () => {
    for (const totalCost of [null, 0]) {
      expect(describeVerdict([{ ...run, totalCost }, build('small', { totalCost, billedTokens: 500 })])).toMatch(
        /^small bills least: 500 tokens billed in full, the recorded run 1,000 tokens billed in full \(-50%\)/,
      );
    }
  });

  it('leaves out what has failed', () => {
    const failed = build('failed', { totalCost: 1, failure: { kind: 'threw' } });
    expect(describeVerdict([run, failed])).toBe('No engine came to the end.');
    expect(describeVerdict([run])).toBe('No other engine was asked for.');
    expect(describeVerdict([])).toBe('Nothing was asked, so there is nothing to compare.');
  });
});
