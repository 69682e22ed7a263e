import { isJsonEqual } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { toOpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { readAgentSession } from '#session/agents/reader.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { adaptToCopy, type CopyDraft, draftEditedCopy } from '../copy/copy-draft.js';
import { type SessionToCopy } from '../copy/session-to-copy.js';
import { buildDraft } from '../plan/draft.js';
import type { EntryStamps } from '../plan/entry-stamps.js';
import { buildEntryChain, type EntryBody } from '../plan/new-entries.js';
import { buildRedactedSource } from './redacted-files.js';
import type { RedactedStretch } from './redaction.js';
import type { Redactor } from './redactor.js';

/** Another agent's session without secrets, to write a copy of it. */
export interface RedactedCopy {
  readonly session: SessionToCopy;
  /** The draft of the copy. Its context before the change has the secrets. */
  readonly copy: CopyDraft;
  /** The number of answers whose thinking is left out: with a placeholder in it, its signature would not fit. */
  readonly withoutThinking: number;
  /** The lines are those of the file. */
  readonly replacements: readonly RedactedStretch[];
}

/**
 * Removes the secrets from the records of another agent's session. Throws a CtxError (refused) if the session would not
 * have the same messages, calls and results without them.
 */
export async function redactForCopy(
  session: SessionToCopy,
  redactor: Redactor,
  { onBatch, ...stamps }: EntryStamps & { readonly onBatch?: () => void },
): Promise<RedactedCopy> {
  const stretches: RedactedStretch[] = [];
  const onReplaced = (stretch: RedactedStretch): void => void stretches.push(stretch);
  const pieces = await redactor.redact(session.source, session.file, { onReplaced, ...(onBatch && { onBatch }) });
  const source = buildRedactedSource(session.source, pieces);
  const read = readAgentSession(source, session.file);
  const redacted = read && { ...session, ...(await toOpenSession(read)), close: session.close };
  const before = buildEnvelope(session, session.tree.leaf);
  const after = redacted && buildEnvelope(redacted, redacted.tree.leaf);
  if (!redacted || !after || !haveSameShape(before, after)) throw buildBrokenError(session);
  const bodies = listThinkingEdits(before, after);
  const entries = buildEntryChain(redacted, formatId(redacted.tree.leaf?.id), bodies, stamps);
  const copy = { ...draftEditedCopy(adaptToCopy(buildDraft(redacted, entries))), before };
  const replacements = locateReplacements(session, stretches);
  return { session: redacted, copy, withoutThinking: bodies.length, replacements };
}

/** Whether two contexts have the same messages but for their texts. */
function haveSameShape(one: ContextEnvelope, other: ContextEnvelope): boolean {
  const shapes = [one, other].map(({ messages }) => messages.cached.map(toShape));
  return isJsonEqual(shapes[0], shapes[1]);
}

function toShape(message: LlmMessage): JsonObject {
  const { role, toolCallId, isError } = message;
  return { role, toolCallId, isError, blocks: listBlocks(message).map(({ type, id }) => ({ type, id })) };
}

/** Lists edits that drop the thinking in which a secret was replaced: the provider would reject its signature. */
function listThinkingEdits(before: ContextEnvelope, after: ContextEnvelope): readonly EntryBody[] {
  return after.messages.cached.flatMap((message, place) => {
    const from = after.meta.provenance[place];
    const old = before.messages.cached[place];
    if (!old || from?.origin !== 'entry' || isJsonEqual(listThinking(message), listThinking(old))) return [];
    const content = listBlocks(message).filter((block) => !isThinking(block));
    return [{ type: 'context_edit', targetId: from.entryId, replacement: content.length === 0 ? null : { content } }];
  });
}

function listThinking(message: LlmMessage): readonly JsonObject[] {
  return listBlocks(message).filter(isThinking);
}

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking';
}

/** Adds the entry and the line of the file to each replacement. */
function locateReplacements(session: SessionToCopy, stretches: readonly RedactedStretch[]): readonly RedactedStretch[] {
  const entries = new Map<number, Head>();
  const { native } = session;
  for (const head of session.tree.heads) {
    for (const { line } of native?.of(head) ?? []) {
      if (!entries.has(line)) entries.set(line, head);
    }
  }
  return stretches.map((stretch) => {
    const { line } = stretch;
    return { ...stretch, line: session.recordedLine(line) ?? line, entryId: formatId(entries.get(line)?.id) };
  });
}

function buildBrokenError({ file }: Session): CtxError {
  return new CtxError('refused', 'without these secrets, the session would not have the same messages', {
    where: file,
    hint: 'a value or a pattern matches what holds the session together: ctx redact --dry-run lists what is replaced',
  });
}
