import { describe, expect, it } from 'vitest';
import { ctx } from '../support/memory-io.js';
import { READING } from './every-command.js';
import { MEMBER, renamed } from './hostile-session.js';

/** What every object has, and names of the same length and order that no object has. */
const TWINS = [
  ['__proto__', '__protn__'],
  ['constructor', 'constructoq'],
  ['toString', 'toStrinf'],
  ['hasOwnProperty', 'hasOwnPropertx'],
  ['valueOf', 'valueOe'],
] as const;

/** With the names that no object has in the place of those that all have, without hashes and words that are cut. */
function asOthers(text: string): string {
  return TWINS.reduce((all, [proto, plain]) => all.replaceAll(proto, plain), text.replaceAll(String.raw`\_`, '_'))
    .replaceAll(/\b[0-9a-f]{8,}\b/g, 'hash')
    .replaceAll(/\S*…/g, '…');
}

const RUNS = Object.entries(READING).flatMap(([command, runs]) =>
  runs
    // What a provider is sent is made as Pi makes it.
    .filter((flags) => !flags.includes('anthropic') && !flags.includes('openai-responses'))
    .map((flags) => [...command.split(' '), 's.jsonl', ...flags, ...(flags.includes('--format') ? [] : ['--json'])]),
);

const NAMES = (at: 0 | 1): readonly string[] => TWINS.map((twins) => twins[at]);

describe.each(['weather.jsonl', 'edits-and-compaction.jsonl'])(
  '%s, whose ids, names and keys are those that every object has, reads like any other:',
  (name) => {
    it.each(RUNS.map((argv) => [argv.join(' '), argv] as const))('ctx %s', async (_name, argv) => {
      const known = Object.getOwnPropertyNames(Object.prototype);
      const hostile = await ctx(argv, { files: { 's.jsonl': renamed(name, NAMES(0)) } });
      const plain = await ctx(argv, { files: { 's.jsonl': renamed(name, NAMES(1)) } });
      expect(asOthers(hostile.stderr)).toBe(asOthers(plain.stderr));
      expect(asOthers(hostile.stdout)).toBe(asOthers(plain.stdout));
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(known);
      expect(Object.getOwnPropertyDescriptor(Object.prototype, MEMBER)).toBeUndefined();
    });
  },
);

describe('a configuration whose keys are those that every object has is refused', () => {
  it.each([
    '{"__proto__":{"limit":1}}',
    '{"constructor":{"prototype":{"limit":1}}}',
    '{"rules":{"constructor":"off"}}',
    '{"defaults":{"__proto__":{"full":true}}}',
    '{"defaults":{"check":{"constructor":true}}}',
    '{"defaults":{"check":{"__proto__":true}}}',
    '{"prune":{"__proto__":{"thresholds":{}}}}',
    '{"prune":{"zones":{"toString":[]}}}',
    '{"prune":{"zones":{"red":["constructor"]}}}',
    '{"assembly":{"injectors":[{"name":"__proto__"}]}}',
  ])('%s', async (config) => {
    const files = { 's.jsonl': renamed('weather.jsonl', []), '/home/ada/weather/ctx.config.json': config };
    const command = config.includes('"prune"') ? 'status' : config.includes('"assembly"') ? 'engine run' : 'check';
    const { exitCode, stderr } = await ctx([...command.split(' '), 's.jsonl'], { files });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/^ctx: /)]);
    expect(({} as Record<string, unknown>)['limit']).toBeUndefined();
  });
});
