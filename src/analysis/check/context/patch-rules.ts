import { isObject, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Head } from '#session/heads/head.js';
import { defineRule, type Hit, type PathEntry, type Rule, type RuleDefinition } from '../define.js';
import { ANSWERED, entry, HEADER, transform, user } from '../example.js';

const OP = { op: 'options_set', reasoning: 'low' };

/** One rule for each requirement of replay on the operations of a transform. */
export const patchRules: readonly RuleDefinition[] = boundaryRules([
  {
    name: 'patch-schema-version',
    severity: 'error',
    summary: 'A transform has an unsupported schema version',
    help:
      'The `schemaVersion` of a `context_transform` defines the format of its operations; 1 is the only version. ' +
      'Replay stops here, so the session cannot be resumed with its context, and `ctx show` fails at every later ' +
      'entry.',
    example: { fires: [HEADER, ...ANSWERED, ofVersion(2)], silent: [HEADER, ...ANSWERED, ofVersion(1)] },
  },
  {
    name: 'patch-unknown-op',
    severity: 'error',
    summary: 'A transform contains an unknown operation',
    help:
      'If a program skipped an unknown operation, the model would see a different context from the one that was ' +
      'stored. So replay stops here. See [the list of operations](../reference/ops.md).',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'messages_shuffle' })],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { op: 'options_set', reasoning: 'low' })],
    },
  },
  {
    name: 'patch-scope',
    severity: 'error',
    summary: 'A transform contains an operation that must not be stored',
    help:
      'A stored operation has the scope `cached`. Operations with the scope `uncached` apply to a single request ' +
      'and are then discarded. Replay stops here. Log such messages in an `ephemeral` entry.',
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
    summary: 'A stored operation has no reason for invalidating the cache',
    help:
      'A stored operation changes content that the provider has cached, so the change is billed again. Every ' +
      'operation must therefore state its reason in `invalidateCacheReason`, and replay stops at an operation ' +
      'without one.',
    example: {
      fires: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: ' ' })],
      silent: [HEADER, ...ANSWERED, transform('x1', 'a1', { ...OP, invalidateCacheReason: 'simple questions' })],
    },
  },
  {
    name: 'patch-fields',
    severity: 'error',
    summary: 'An operation of a transform is invalid',
    help:
      'A field is missing or has an invalid value, so the effect of the operation is undefined, and replay stops ' +
      'here. The fields of every operation are in [the list](../reference/ops.md) and in `docs/schema/patch.json`.',
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
): readonly RuleDefinition[] {
  return rows.map((about) =>
    defineRule({
      ...about,
      looksAt: 'path',
      watch: () => ({ step: (step) => breaksIn(step, about.name) }),
    }),
  );
}

const NONE: readonly never[] = [];

function breaksIn({ head, entry: stored, diagnostics }: PathEntry, name: string): readonly Hit[] {
  if (diagnostics.length === 0 || head.type !== 'context_transform') return NONE;
  return boundaryBreaks(stored, head).flatMap(({ rule, hit }) => (rule === name ? hit : []));
}

interface BoundaryBreak {
  /** The rule of `ctx check` that reports it. */
  readonly rule: string;
  readonly hit: Hit;
}

function boundaryBreaks(stored: JsonObject, head: Head): readonly BoundaryBreak[] {
  const isList = Array.isArray(stored['patch']);
  return readPatch(stored).flatMap((step, at) => {
    if (step.ok) return [];
    const { rule, message } = step;
    const place = rule === 'schema-version' ? 'schemaVersion' : isList ? `patch[${at}]` : 'patch';
    return [{ rule: `patch-${rule}`, hit: { message, at: head, place, fix: FIX } }];
  });
}

const FIX = 'repair the operation, or pass --lenient to skip it';

/** An operation of a transform, and the context before and after it. */
export interface AppliedOp {
  /** The index in the patch, from 0. */
  readonly at: number;
  readonly name: string;
  readonly op: JsonObject;
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
}

/** The operations of a transform that replay applies, one after another; none for any other entry. */
export function listAppliedOps({ head, entry: applied, change }: PathEntry): readonly AppliedOp[] {
  if (head.type !== 'context_transform' || !change) return NONE;
  if (newest?.entry !== applied) newest = { entry: applied, ops: [...apply(applied, change.before)] };
  return newest.ops;
}

/** The newest transform that was read: all rules ask for the same transform in turn. */
let newest: { readonly entry: JsonObject; readonly ops: readonly AppliedOp[] } | null = null;

function* apply(transformEntry: JsonObject, start: EnvelopeContent): Generator<AppliedOp> {
  const { patch } = transformEntry;
  let content = start;
  for (const [at, step] of readPatch(transformEntry).entries()) {
    const op: unknown = Array.isArray(patch) ? patch[at] : null;
    if (!step.ok || !isObject(op)) continue;
    const after = step.apply(content);
    yield { at, name: step.name, op, before: content, after };
    content = after;
  }
}

function branches(op: string) {
  return [HEADER, ...ANSWERED, transform('x1', 'a1', { op, reasoning: 'low' }), user('u2', 'a1', 'And its licence?')];
}

export const brokenPatchElsewhere = defineRule({
  name: 'broken-patch-elsewhere',
  severity: 'warning',
  summary: 'A transform on another branch cannot be replayed',
  help: 'The active branch is not affected. Replay stops at this transform when the session returns to its branch.',
  example: { fires: branches('options_shuffle'), silent: branches('options_set') },
  looksAt: 'path',
  watch(_options, session) {
    const onPath = new Set<number>();
    return {
      step({ head }) {
        if (head.type === 'context_transform') onPath.add(head.index);
        return NONE;
      },
      *end(): Generator<Hit> {
        for (const head of session.tree.heads.ofType('context_transform'))
          if (!onPath.has(head.index)) for (const { hit } of boundaryBreaks(session.entry(head), head)) yield hit;
      },
    };
  },
});
