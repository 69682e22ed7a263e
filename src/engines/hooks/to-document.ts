import { diffEnvelopes } from '#analysis/diff/envelope-diff.js';
import type { ItemChange } from '#analysis/diff/list-diff.js';
import { asString } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { countTokens } from '#context/replay/tokens.js';
import { idText } from '#session/table/head.js';
import { isFatal } from './define.js';
import type { HookRequestLine } from './document.js';
import type { BoundaryRun, HookRequest, MessageRun } from './run.js';

/** A request as JSON. */
export function requestLine({
  number,
  at,
  answer,
  replayed,
  boundaries,
  refusals,
  messages,
  cache,
}: HookRequest): HookRequestLine {
  return {
    schema: 'ctx/hook-request',
    schemaVersion: 1,
    number,
    entryId: idText(at?.id),
    line: at?.line ?? null,
    answerId: idText(answer?.id),
    replayed,
    boundaries: boundaries.map(boundaryOf),
    refusals: [...refusals],
    messages: messages.map(messageOf),
    cache,
  };
}

type BoundaryDocument = HookRequestLine['boundaries'][number];

function boundaryOf(boundary: BoundaryRun): BoundaryDocument {
  const { reason, at, transforms, failures, violations, before, after, idempotent, bytes } = boundary;
  return {
    reason,
    entryId: idText(at?.id),
    transforms: transforms.map((transform) => ({ ...transform })) as BoundaryDocument['transforms'],
    failures: [...failures],
    violations: [...violations],
    change: isFatal(boundary) || transforms.length === 0 ? null : changeOf(before, after),
    idempotent,
    bytes,
  };
}

function messageOf({
  head,
  kind,
  by,
  before,
  after,
  failures,
  violations,
  idempotent,
}: MessageRun): HookRequestLine['messages'][number] {
  return {
    entryId: idText(head.id),
    role: asString(before['role']) ?? '',
    kind,
    by: [...by],
    after: kind === 'replaced' ? (after as { role: string }) : null,
    failures: [...failures],
    violations: [...violations],
    idempotent,
  };
}

function changeOf(before: EnvelopeContent, after: EnvelopeContent): NonNullable<BoundaryDocument['change']> {
  const diff = diffEnvelopes(before, after);
  const [was, is] = [countTokens(before), countTokens(after)];
  return {
    system: namesOf(diff.parts),
    tools: namesOf(diff.tools),
    options: diff.options.map(({ name }) => name),
    cached: countsOf(diff.cached, before.messages.cached.length),
    uncached: countsOf(diff.uncached, before.messages.uncached.length),
    tokensBefore: was.total,
    tokensAfter: is.total,
    tokenMethod: is.method,
  };
}

const KINDS = ['added', 'removed', 'changed', 'moved'] as const;

type ByKind<Value> = Record<(typeof KINDS)[number], Value>;

function byKind<Value>(valueOf: (kind: (typeof KINDS)[number]) => Value): ByKind<Value> {
  const [added, removed, changed, moved] = KINDS;
  return { added: valueOf(added), removed: valueOf(removed), changed: valueOf(changed), moved: valueOf(moved) };
}

function namesOf(changes: readonly ItemChange<{ readonly name: string }>[]): ByKind<string[]> {
  return byKind((kind) => changes.filter((change) => change.kind === kind).map((change) => itemOf(change).name));
}

function itemOf<Item>(change: ItemChange<Item>): Item {
  if (change.kind === 'moved') return change.item;
  return change.kind === 'removed' ? change.before : change.after;
}

function countsOf(changes: readonly ItemChange<unknown>[], before: number): ByKind<number> & { kept: number } {
  const gone = changes.filter(({ kind }) => kind !== 'added').length;
  return { kept: before - gone, ...byKind((kind) => changes.filter((change) => change.kind === kind).length) };
}
