import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import {
  choiceFlag,
  type Flag,
  numberFlag,
  parseFlagValue,
  patternFlag,
  positiveFlag,
  textFlag,
  toggleFlag,
} from '#cli/commands/flags.js';

function refusal(flag: Flag<unknown>, raw: string): CtxError {
  try {
    flag.parse(raw);
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error(`"${raw}" was taken`);
}

describe('a number', () => {
  const flag = numberFlag('TOKENS', 'help');

  it.each([
    ['0', 0],
    ['12', 12],
    ['007', 7],
    ['200k', 200_000],
    ['200K', 200_000],
    ['1m', 1_000_000],
    ['1M', 1_000_000],
    ['0k', 0],
    ['999999999999', 999_999_999_999],
    ['1.5k', 1500],
    ['0.0015M', 1500],
    ['1.1M', 1_100_000],
    ['1.10k', 1100],
    ['2.0', 2],
    ['1_000', 1000],
    ['1_000_000', 1_000_000],
    ['1,000', 1000],
    ['200,000k', 200_000_000],
  ])('%s is %d', (raw, value) => {
    expect(flag.parse(raw)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    '1.5',
    '1.0005k',
    '1,00',
    '1,0000',
    '1,000.5',
    '1__0',
    '_1',
    '1_',
    '.5k',
    '1.k',
    '1e3',
    '0x10',
    '1 k',
    '1kk',
    '1g',
    'k',
    'one',
    '1\n',
    '１',
    'Infinity',
    'NaN',
  ])('is not %j', (raw) => {
    expect(refusal(flag, raw)).toMatchObject({
      kind: 'usage',
      message: `invalid value "${raw}" for TOKENS`,
      hint: 'write a whole number, such as 1.5k, 200k or 1M',
    });
  });

  it('has an example of its kind', () => {
    expect(refusal(positiveFlag('SECONDS', 'help'), 'abc')).toMatchObject({ hint: 'write a whole number, such as 12' });
  });

  it.each(['1234567890123', '1000000M', '9'.repeat(400)])('says that %s is too large', (raw) => {
    expect(refusal(flag, raw)).toMatchObject({ kind: 'usage', message: `"${raw}" is too large` });
  });
});

describe('a choice', () => {
  const flag = choiceFlag('PART', ['system', 'tools'], 'help');

  it.each(['system', 'tools'])('may be %s', (raw) => {
    expect(flag.parse(raw)).toBe(raw);
  });

  it.each(['', 'System', 'tool', 'toString', 'system '])('may not be %j, and the choices are named', (raw) => {
    expect(refusal(flag, raw)).toMatchObject({
      kind: 'usage',
      message: `invalid value "${raw}" for PART`,
      hint: 'choose one of system, tools',
    });
  });

  it('names its choices for the help', () => {
    expect(flag.choices).toEqual(['system', 'tools']);
  });
});

describe('a pattern', () => {
  const flag = patternFlag('RE', 'help');

  it.each([
    ['foo|bar', 'a BAR', true],
    ['^a.c$', 'abc', true],
    ['^a.c$', 'abcd', false],
    ['', 'anything', true],
  ])('%s finds in any case: %j, %s', (raw, value, isFound) => {
    expect(flag.parse(raw).test(value)).toBe(isFound);
  });

  it('finds the same every time', () => {
    const found = flag.parse('a');
    expect([found.test('a'), found.test('a'), found.test('a')]).toEqual([true, true, true]);
  });

  it.each(['(', '[', '*', 'a{2,1}', '(?<n>a)(?<n>b)', '\\'])('is not %j, and says why', (raw) => {
    const { kind, message, hint } = refusal(flag, raw);
    expect({ kind, message }).toEqual({ kind: 'usage', message: `invalid value "${raw}" for RE` });
    expect(hint).toContain('Invalid regular expression');
  });
});

describe('other flags', () => {
  it('take any text as it is', () => {
    expect(textFlag('FILE', 'help').parse(' a\n')).toBe(' a\n');
  });

  it('take no value where they are switches', () => {
    expect(toggleFlag('help')).toMatchObject({ placeholder: null, help: 'help' });
    expect(toggleFlag('help').parse('')).toBe(true);
  });
});

describe('a number that makes no sense as 0', () => {
  const flag = positiveFlag('N', 'help');

  it('is any other', () => {
    expect(flag.parse('1')).toBe(1);
    expect(flag.parse('2k')).toBe(2000);
  });

  it.each(['0', '00', '0k'])('may not be %j', (raw) => {
    expect(refusal(flag, raw)).toMatchObject({
      kind: 'usage',
      message: `invalid value "${raw}" for N`,
      hint: 'write 1 or more',
    });
  });

  it('is refused on a command line by its name', () => {
    expect(() => parseFlagValue('depth', flag, 'x')).toThrow(expect.objectContaining({ where: '--depth' }));
  });
});
