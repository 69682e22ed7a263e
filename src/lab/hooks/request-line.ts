import { asString } from '#base/json.js';
import { formatId } from '#session/heads/head.js';
import type { BoundaryDocument, HookRequestLine, MessageDocument } from './document.js';
import { findEnvelopeChange } from './envelope-change.js';
import type { Extension, HookCompactionCheck, PiCompactionCheck } from './extension-fields.js';
import { isFatal } from './hook-boundary.js';
import type { BoundaryRun, HookRequest, MessageRun } from './hook-request.js';

/** The calls of extensions at a request, as JSON. */
function toExtensionFields({ events, changes, drafts, compaction }: HookRequest): Extension {
  const { preflight, evaluation } = compaction;
  const isChecked = preflight !== null || evaluation !== null;
  return {
    ...(events.length === 0 ? {} : { events: events.map(({ at, ...run }) => ({ ...run, entryId: formatId(at?.id) })) }),
    ...(changes.length === 0 ? {} : { changes: [...changes] }),
    ...(drafts.length === 0 ? {} : { appended: drafts.map((draft) => ({ ...draft, type: String(draft.type) })) }),
    ...(isChecked
      ? { compaction: { preflight: toCompactionCheck(preflight), evaluation: toCompactionCheck(evaluation) } }
      : {}),
  };
}

function toCompactionCheck(check: HookCompactionCheck | null): PiCompactionCheck | null {
  if (check === null) return null;
  const { isEnabled: _, ...shown } = check;
  return shown;
}

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
