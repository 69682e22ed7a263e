import { asString } from '#base/json.js';
import { formatId } from '#session/heads/head.js';
import type {
  BoundaryDocument,
  CompactionCheckDocument,
  ExtensionFields,
  HookRequestLine,
  MessageDocument,
} from './document.js';
import { findEnvelopeChange } from './envelope-change.js';
import type { BoundaryRun, HookCompactionCheck, HookRequest, MessageRun } from './hook-request.js';
import { isFatal } from './run-boundary.js';

/** A request with the hooks, as JSON. */
export function toRequestLine(request: HookRequest): HookRequestLine {
  const { number, at, answer, replayed, refusals, cache } = request;
  return {
    schema: 'ctx/hook-request',
    schemaVersion: 1,
    number,
    entryId: formatId(at?.id),
    line: at?.line ?? null,
    answerId: formatId(answer?.id),
    replayed,
    boundaries: request.boundaries.map(toBoundaryDocument),
    refusals: [...refusals],
    messages: request.messages.map(toMessageDocument),
    cache,
    ...toExtensionFields(request),
  };
}

function toBoundaryDocument(run: BoundaryRun): BoundaryDocument {
  const { reason, at, transforms, failures, violations, before, after, idempotent, bytes } = run;
  const change = isFatal(run) || transforms.length === 0 ? null : findEnvelopeChange(before, after);
  return { reason, entryId: formatId(at?.id), transforms, failures, violations, change, idempotent, bytes };
}

function toMessageDocument(run: MessageRun): MessageDocument {
  const { head, kind, by, failures, violations, idempotent } = run;
  const role = asString(run.before.role) ?? '';
  const after = kind === 'replaced' ? (run.after as { role: string }) : null;
  return { entryId: formatId(head.id), role, kind, by, after, failures, violations, idempotent };
}

/** The calls of extensions at a request. What did not happen is left out. */
function toExtensionFields({ events, changes, drafts, compaction }: HookRequest): ExtensionFields {
  const { preflight, evaluation } = compaction;
  const fields: ExtensionFields = {};
  if (events.length > 0) fields.events = events.map(({ at, ...run }) => ({ ...run, entryId: formatId(at?.id) }));
  if (changes.length > 0) fields.changes = [...changes];
  if (drafts.length > 0) fields.appended = drafts.map((draft) => ({ ...draft, type: String(draft.type) }));
  if (preflight !== null || evaluation !== null)
    fields.compaction = { preflight: toCompactionCheck(preflight), evaluation: toCompactionCheck(evaluation) };
  return fields;
}

function toCompactionCheck(check: HookCompactionCheck | null): CompactionCheckDocument | null {
  if (check === null) return null;
  const { isEnabled: _, ...shown } = check;
  return shown;
}
