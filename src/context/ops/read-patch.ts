import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import { describeUnknownKey } from '#base/suggestion.js';
import type { Entry } from '#session/entry.js';
import type { Session } from '#session/session.js';
import type { OpenSession } from '../open.js';
import type { EnvelopeContent } from '../replay/content.js';
import type { PatchOp } from '../replay/patch-op.js';
import { type Op, ops } from './index.js';

const byName: ReadonlyMap<unknown, Op> = new Map(ops.map((op) => [op.name, op]));

/**
 * The steps of a stored transform (a `context_transform` entry): each op ready to apply, or the rule that it breaks.
 * Stored ops have the scope `cached`, since others apply to a single request.
 */
export function readPatch(entry: Entry): readonly PatchOp[] {
  const { schemaVersion, patch } = entry;
  if (schemaVersion !== 1)
    return [toBrokenOp('schema-version', `schemaVersion must be 1, not ${JSON.stringify(schemaVersion)}`)];
  if (!Array.isArray(patch)) return [toBrokenOp('fields', 'patch must be a list of ops')];
  return readOps(patch, 'cached');
}

/** Gives a session that was read, or extended in memory, the reader of patches that replay needs. */
export function attachPatchReader(session: Session): OpenSession {
  return { ...session, readPatch, close: () => session.source.close() };
}

/** Reads ops in their JSON form. `scope` is the only allowed scope, null for any. */
export function readOps(patch: readonly unknown[], scope: Op['scope'] | null): readonly PatchOp[] {
  return patch.map((op) => readOp(op, scope));
}

/** The result of a patch. Its lists are new; the input is unchanged. */
export interface PatchResult {
  readonly envelope: EnvelopeContent;
  /** Whether content changed that a provider caches: everything except the uncached messages, byte for byte. */
  readonly cacheInvalidated: boolean;
  /** The distinct reasons of the ops, in order. */
  readonly reasons: readonly string[];
}

/**
 * Applies patch ops, in their JSON form, to an envelope. Any scope is allowed, as in a request.
 * Throws a CtxError (input) that names the first unknown or invalid op.
 */
export function applyPatch(envelope: EnvelopeContent, patch: readonly unknown[]): PatchResult {
  const { system, tools, messages, options } = envelope;
  let result: EnvelopeContent = { system, tools, messages, options };
  const before = formatCachedRegions(result);
  const reasons = new Set<string>();
  for (const [index, op] of patch.entries()) {
    const step = readOp(op, null);
    if (!step.ok)
      throw new CtxError('input', `patch[${index}]: ${step.message}`, { hint: `repair the op; rule: ${step.rule}` });
    result = step.apply(result);
    if (step.reason !== null) reasons.add(step.reason);
  }
  return { envelope: result, cacheInvalidated: formatCachedRegions(result) !== before, reasons: [...reasons] };
}

function formatCachedRegions({ system, tools, messages, options }: EnvelopeContent): string {
  return JSON.stringify([system.compiled, tools, messages.cached, options]);
}

/** Reads one op. `scope` is the only allowed scope, null for any. */
function readOp(value: unknown, scope: Op['scope'] | null): PatchOp {
  if (!isObject(value)) return toBrokenOp('fields', 'an op must be an object');
  const op = byName.get(value.op);
  if (!op) return toBrokenOp('unknown-op', `unknown op (${JSON.stringify(value.op)})`);
  if (value.scope !== op.scope || (scope !== null && scope !== op.scope)) {
    return toBrokenOp(
      'scope',
      `${op.name} has scope ${JSON.stringify(value.scope)}; ${scope === null ? `it must be "${op.scope}"` : `only "${scope}" is persisted`}`,
    );
  }
  const reason = value.invalidateCacheReason;
  if (op.scope === 'cached' && (typeof reason !== 'string' || reason.trim() === '')) {
    return toBrokenOp('reason', `${op.name} changes cached content, but has no invalidateCacheReason`);
  }
  const parsed = op.schema.safeParse(value);
  if (!parsed.success) {
    return toBrokenOp('fields', `${op.name}: ${describeIssue(parsed.error)}`);
  }
  return {
    ok: true,
    name: op.name,
    region: op.region,
    replacesRegion: op.replacesRegion ?? false,
    yieldsToBaseline: op.replacesRegion === true && value.baseline === true,
    compacts: op.compacts ?? false,
    reason: typeof reason === 'string' ? reason.trim() : null,
    json: value,
    // The stored op itself, not zod's copy: messages reach the model exactly as they were written.
    apply: (envelope) => op.apply(envelope, value),
  };
}

/**
 * Describes the fields of an op that its schema does not have. Stored ops may have such fields, so that later versions
 * can add some: replay ignores them.
 */
export function listUnknownFields(op: JsonObject): readonly string[] {
  const definition = byName.get(op.op);
  if (!definition) return [];
  const reason = definition.scope === 'cached' ? ['invalidateCacheReason'] : [];
  const names = [
    ...Object.keys(definition.fields),
    'op',
    'scope',
    ...reason,
    ...(definition.replacesRegion ? ['baseline'] : []),
  ];
  return Object.keys(op).flatMap((name) => (names.includes(name) ? [] : describeUnknownKey(name, names)));
}

function toBrokenOp(rule: string, message: string): PatchOp {
  return { ok: false, rule, message };
}
