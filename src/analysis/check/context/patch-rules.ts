import type { JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Head } from '#session/table/head.js';
import { defineRule, type Hit, type PathStep, type Rule } from '../define.js';
import { ANSWERED, entry, HEADER, transform } from '../example.js';

const OP = { op: 'options_set', reasoning: 'low' };

/** One rule for each rule that replay holds the operations of a transform to. */
export const patchRules: readonly Rule[] = boundaryRules([
  {
    name: 'patch-schema-version',
    severity: 'error',
    summary: 'A transform is of a version that nobody can replay',
    help:
      'A `context_transform` says by `schemaVersion` how its operations are to be read, and 1 is the only one there is. ' +
      'Replay stops here, so the session cannot be resumed with its context, and `ctx show` fails at every later entry.',
    example: { fires: [HEADER, ...ANSWERED, ofVersion(2)], silent: [HEADER, ...ANSWERED, ofVersion(1)] },
  },
  {
    name: 'patch-unknown-op',
    severity: 'error',
    summary: 'A transform holds an operation that does not exist',
    help:
      'Whoever leaves out an operation that it does not know shows the model something else than what was decided. So ' +
      'replay stops here. The operations there are stand in [the list](../ops.md).',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'messages_shuffle' })],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
    },
  },
  {
    name: 'patch-scope',
    severity: 'error',
    summary: 'A transform holds an operation that must not be stored',
    help:
      'A stored operation has the scope `cached`: what has the scope `uncached` is meant for one request and forgotten ' +
      'after it. Replay stops here. Log such messages in an `ephemeral` entry.',
    example: {
      fires: [
        HEADER,
        ...ANSWERED,
        transform('x1', 'a1', { op: 'messages_uncached_append', scope: 'uncached', messages: [] }),
      ],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
    },
  },
  {
    name: 'patch-reason',
    severity: 'error',
    summary: 'A stored operation gives no reason for changing what is cached',
    help:
      'Everything that a stored operation changes was cached by the provider and has to be paid for again. So each must ' +
      'say why in `invalidateCacheReason`, and replay stops at one that does not.',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: ' ' })],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: 'simple questions' })],
    },
  },
  {
    name: 'patch-fields',
    severity: 'error',
    summary: 'An operation of a transform is not well-formed',
    help:
      'A field is missing or holds something else, so nobody can say what the operation would do, and replay stops ' +
      'here. The fields of every operation stand in [the list](../ops.md) and in `docs/schema/patch.json`.',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 'many' })],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', maxTokens: 4000 })],
    },
  },
]);

function ofVersion(schemaVersion: number): ReturnType<typeof entry> {
  return entry('context_transform', 'x1', 'a1', { schemaVersion, transformerName: 'example', patch: [] });
}

function boundaryRules(
  rows: readonly Pick<Rule, 'name' | 'severity' | 'summary' | 'help' | 'example'>[],
): readonly Rule[] {
  return rows.map((about) =>
    defineRule({
      ...about,
      group: 'context',
      looksAt: 'path',
      watch: () => ({ step: (step) => breaksIn(step, about.name) }),
    }),
  );
}

const NONE: readonly never[] = [];

function breaksIn({ head, entry: stored, diagnostics }: PathStep, name: string): readonly Hit[] {
  if (diagnostics.length === 0 || head.type !== 'context_transform') return NONE;
  return boundaryBreaks(stored, head).flatMap(({ rule, hit }) => (rule === name ? hit : []));
}

interface BoundaryBreak {
  /** The rule of `ctx check` that reports it. */
  readonly rule: string;
  readonly hit: Hit;
}

/** Everything in a transform that breaks one of those rules. */
export function boundaryBreaks(stored: JsonObject, head: Head): readonly BoundaryBreak[] {
  const isList = Array.isArray(stored['patch']);
  return readPatch(stored).flatMap((step, at) => {
    if (step.ok) return [];
    const { rule, message } = step;
    const place = rule === 'schema-version' ? 'schemaVersion' : isList ? `patch[${at}]` : 'patch';
    return [{ rule: `patch-${rule}`, hit: { message, at: head, place, fix: FIX } }];
  });
}

const FIX = 'mend the operation, or read the session with --lenient, which leaves it out';
