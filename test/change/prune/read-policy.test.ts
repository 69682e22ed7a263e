import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { defaultPolicy, readPolicy, readStrategies } from '#change/prune/policy.js';
import { strategies } from '#change/prune/strategies/index.js';
import { schemas } from '#cli/schemas.js';
import { HEADER, lines, TALK } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'usage') throw error;
    return [error.message, error.where, error.hint].filter((part) => part !== null).join(': ');
  }
  throw new Error('it was taken');
}

const ALL = strategies.map(({ name }) => name).join(', ');

/** Each with what is said about it, in one line. */
const BAD: readonly (readonly [unknown, string])[] = [
  ['yellow', 'prune must be an object: c.json: correct the configuration'],
  [{ threshold: {} }, 'unknown key "threshold" in prune: c.json: did you mean "thresholds"?'],
  [{ thresholds: { yelow: 0.5 } }, 'unknown key "yelow" in prune.thresholds: c.json: did you mean "yellow"?'],
  [{ thresholds: { blue: 0.5 } }, 'unknown key "blue" in prune.thresholds: c.json: the keys are yellow, red, compact'],
  [{ thresholds: { red: 70 } }, 'prune.thresholds.red must be at most 1: c.json: correct the configuration'],
  [{ thresholds: { red: 0 } }, 'prune.thresholds.red must be more than 0: c.json: correct the configuration'],
  [
    { thresholds: { yellow: 0.8 } },
    'prune.thresholds must increase from yellow to red to compact (defaults: 0.5, 0.7 and 0.85): c.json: correct the configuration',
  ],
  [{ recentTurns: { red: 0 } }, 'prune.recentTurns.red must be more than 0: c.json: correct the configuration'],
  [{ recentTurns: { red: 1.5 } }, 'prune.recentTurns.red must be a whole number: c.json: correct the configuration'],
  [{ packetTokens: 63 }, 'prune.packetTokens must be at least 64: c.json: correct the configuration'],
  [{ cooldownTurns: -1 }, 'prune.cooldownTurns must be at least 0: c.json: correct the configuration'],
  [{ compactFrom: 'yellow' }, 'prune.compactFrom must be "red" or "compact": c.json: correct the configuration'],
  [
    { protect: { files: [] } },
    'unknown key "files" in prune.protect: c.json: the keys are tools, paths, roles, labels',
  ],
  [{ protect: { tools: 'read' } }, 'prune.protect.tools must be a list: c.json: correct the configuration'],
  [{ protect: { tools: [''] } }, 'prune.protect.tools[0] must not be empty: c.json: correct the configuration'],
  [{ zones: { red: 'turns' } }, 'prune.zones.red must be a list: c.json: correct the configuration'],
  [
    { zones: { red: [{ turns: 3 }] } },
    'prune.zones.red[0] must be a strategy name, or a list of the name and its options: c.json: correct the configuration',
  ],
  [{ zones: { red: ['turn'] } }, 'unknown strategy "turn": c.json: did you mean "turns"?'],
  [{ zones: { green: [['shrink', {}]] } }, `unknown strategy "shrink": c.json: the strategies are ${ALL}`],
  [
    { zones: { red: ['dedupe', ['turns', { kep: 3 }]] } },
    'unknown key "kep" in prune.zones.red[1][1]: c.json: did you mean "keep"?',
  ],
  [
    { zones: { red: [['turns', { keep: 0 }]] } },
    'prune.zones.red[0][1].keep must be more than 0: c.json: correct the configuration',
  ],
];

describe('a policy that makes no sense', () => {
  it.each(BAD)('%j is refused in one line', (value, said) => {
    expect(refusal(() => readPolicy(value, 'c.json'))).toBe(said);
  });

  it('is refused with its options where the strategy takes none', () => {
    expect(refusal(() => readPolicy({ zones: { red: [['summaries', { keep: 1 }]] } }, 'c.json'))).toBe(
      'the strategy "summaries" takes no options: c.json: leave them out',
    );
  });

  it.each([
    ['turn,images', 'unknown strategy "turn": did you mean "turns"?'],
    [' , ', `no strategies are named: name some of ${ALL}`],
  ])('is refused on the command line too: %j', (list, said) => {
    expect(refusal(() => readStrategies(list, defaultPolicy(), 'red'))).toBe(said);
  });

  it.each(BAD)('%j is refused by the schema that knows all strategies too', (value) => {
    expect(schemas.config.safeParse({ prune: value }).success).toBe(false);
  });
});

describe('a policy in the configuration', () => {
  const files = { 's.jsonl': lines(HEADER, ...TALK) };
  const HERE = '/home/ada/weather/ctx.config.json';

  it('is read from the nearest file, named or left alone', async () => {
    const thresholds = { yellow: 0.001, red: 0.9, compact: 0.95 };
    const world = {
      files: {
        ...files,
        [HERE]: JSON.stringify({ limit: 1000, prune: { thresholds } }),
        'other.json': JSON.stringify({ limit: 2000 }),
      },
    };
    const status = async (...flags: readonly string[]): Promise<unknown> => {
      const { stdout, stderr } = await ctx(['status', 's.jsonl', '--json', ...flags], world);
      if (stderr !== '') return JSON.parse(stderr);
      const { zone, limit } = JSON.parse(stdout) as { zone: string; limit: number };
      return [zone, limit];
    };
    expect(await status()).toEqual(['yellow', 1000]);
    expect(await status('--limit', '1M')).toEqual(['green', 1_000_000]);
    expect(await status('--config', 'other.json')).toEqual(['green', 2000]);
    expect(await status('--no-config')).toEqual([null, null]);
  });

  it.each(['status', 'prune', 'check'])('is refused by ctx %s where it makes no sense', async (command) => {
    const config = { limit: 1000, prune: { thresholds: { red: 2 } } };
    const { stderr, exitCode } = await ctx([command, 's.jsonl'], {
      files: { ...files, [HERE]: JSON.stringify(config) },
    });
    expect(stderr).toBe('ctx: prune.thresholds.red must be at most 1: ctx.config.json: correct the configuration\n');
    expect(exitCode).toBe(2);
  });

  it('does not keep ctx check from working where only a strategy is unknown', async () => {
    const config = { prune: { zones: { red: ['shrink'] } } };
    const { exitCode } = await ctx(['check', 's.jsonl'], { files: { ...files, [HERE]: JSON.stringify(config) } });
    expect(exitCode).not.toBe(2);
  });

  it('may know the limit from what sessions do not record', async () => {
    const world = {
      files: {
        ...files,
        [HERE]: JSON.stringify({ contextBaseline: 'base.json' }),
        'base.json': JSON.stringify({ limit: 500, parts: [{ name: 'rules', text: 'x'.repeat(400) }] }),
      },
    };
    const { stdout } = await ctx(['status', 's.jsonl', '--json'], world);
    const { limit, tokens } = JSON.parse(stdout) as { limit: number; tokens: { estimated: number } };
    expect(limit).toBe(500);
    expect(tokens.estimated).toBeGreaterThan(100);
  });
});
