import { describe, expect, it } from 'vitest';
import { ops } from '#context/ops/index.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { readHandlerResult } from '#lab/hooks/boundary-rules.js';
import { type BoundaryReason, CONTEXT_REASONS } from '#lab/hooks/events.js';

type Op = Readonly<Record<string, unknown>>;

const PERSISTENT = ['before_request', 'turn_end'] as const;

function opOf(
  { name, scope, example }: (typeof ops)[number],
  invalidateCacheReason: string | undefined = 'a test',
): Op {
  return { op: name, scope, ...example, ...(scope === 'cached' ? { invalidateCacheReason } : {}) };
}

/** The rules that a patch breaks; none: it is taken. */
function broken(reason: BoundaryReason, ...patch: readonly unknown[]): readonly string[] {
  const read = readHandlerResult({ patch }, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE });
  return read.kind === 'broken' ? read.violations.map(({ rule, op }) => `${rule} ${op}`) : [];
}

const cached = ops.filter(({ scope }) => scope === 'cached');
const APPEND = opOf(ops.find(({ scope }) => scope === 'uncached')!);

describe.each(PERSISTENT)('a context hook for %s', (reason) => {
  it.each(cached)('may emit $name, whose scope is cached', (op) => {
    expect(broken(reason, opOf(op))).toEqual([]);
  });

  it('may not emit messages_uncached_append: only durable state is persisted', () => {
    expect(broken(reason, APPEND)).toEqual(['scope 0']);
    const read = readHandlerResult({ patch: [APPEND] }, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE });
    expect(read).toMatchObject({
      violations: [
        { hook: 'h.ts', message: expect.stringContaining(`only "cached" is persisted, and ${reason} is persisted`) },
      ],
    });
  });

  it('may not emit a cached op that calls itself uncached', () => {
    expect(broken(reason, { ...opOf(cached[0]!), scope: 'uncached' })).toEqual(['scope 0']);
  });
});

describe('a context hook for ephemeral', () => {
  it.each(ops)('may emit $name, whatever its scope', (op) => {
    expect(broken('ephemeral', opOf(op))).toEqual([]);
  });

  it('may not give an op the other scope', () => {
    expect(broken('ephemeral', { ...APPEND, scope: 'cached' })).toEqual(['scope 0']);
    expect(broken('ephemeral', { ...opOf(cached[0]!), scope: 'uncached' })).toEqual(['scope 0']);
  });
});

describe.each(CONTEXT_REASONS)('a context hook for %s, too,', (reason) => {
  it.each(cached)('must say why $name gives up the cache', (op) => {
    for (const why of [undefined, '', '  ', 7, null])
      expect(broken(reason, { ...opOf(op), invalidateCacheReason: why })).toEqual(['reason 0']);
  });

  it('may emit only ops that there are, well-formed, and every one that is not is named', () => {
    const [first, second] = cached;
    const patch = [opOf(first!), { op: 'tools_shuffle', scope: 'cached' }, { ...opOf(second!), partName: 5 }, 'no op'];
    expect(broken(reason, ...patch)).toEqual(['unknown-op 1', 'fields 2', 'fields 3']);
  });

  it.each([
    ['patches instead of patch', { patches: [] }, 'unknown key "patches": did you mean "patch"?'],
    ['an unknown key alone', { foo: 1 }, 'unknown key "foo": use patch, messages, transformerName, display'],
    ['a mistyped name beside a patch', { patch: [], transfomerName: 'x' }, 'did you mean "transformerName"?'],
  ])('names %s', (_, result, message) => {
    expect(readHandlerResult(result, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE })).toMatchObject({
      kind: 'broken',
      violations: [{ rule: 'result', op: null, message: expect.stringContaining(message) }],
    });
  });

  it.each([
    ['nothing in an object', {}],
    ['a name without a patch', { transformerName: 'x' }],
    ['a field of its own beside the patch', { patch: [], statistics: 1 }],
  ])('may return %s', (_, result) => {
    expect(readHandlerResult(result, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE })).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['a list', [], 'result'],
    ['a text', 'patch', 'result'],
    ['a patch that is no list', { patch: { op: 'tools_remove' } }, 'result'],
    ['a name that is none', { patch: [], transformerName: ' ' }, 'result'],
    ['a display without a title', { patch: [], display: { summary: 'x' } }, 'display'],
    ['a display that is a text', { patch: [], display: 'x' }, 'display'],
    ['a display with markdown that is no text', { patch: [], display: { title: 'x', markdown: 1 } }, 'display'],
  ])('may not return %s', (_, result, rule) => {
    expect(readHandlerResult(result, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE })).toMatchObject({
      kind: 'broken',
      violations: [{ rule, op: null }],
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an object without a patch', {}],
    ['an empty patch', { patch: [] }],
  ])('may return %s, which changes nothing', (_, result) => {
    expect(readHandlerResult(result, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE })).toEqual({ kind: 'nothing' });
  });

  it('is called by the path of its module where it gives itself no name', () => {
    const read = (result: object): unknown =>
      readHandlerResult({ patch: [opOf(cached[0]!)], ...result }, { hook: 'h.ts', reason, sent: EMPTY_ENVELOPE });
    expect(read({})).toMatchObject({ transform: { transformerName: 'h.ts' } });
    expect(read({ transformerName: 'policy' })).toMatchObject({ transform: { transformerName: 'policy' } });
  });
});

it('a compaction that a hook gives is wrapped as it is on replay', () => {
  const compaction = opOf(ops.find(({ name }) => name === 'compaction_apply')!);
  const read = readHandlerResult({ patch: [compaction] }, { hook: 'h.ts', reason: 'turn_end', sent: EMPTY_ENVELOPE });
  if (read.kind !== 'transform') throw new Error('it is taken');
  const { cached: messages } = read.steps.reduce((envelope, step) => step.apply(envelope), EMPTY_ENVELOPE).messages;
  expect(JSON.stringify(messages)).toContain('was compacted into the following summary:');
});
