import { canonicalJson } from '#base/canonical-json.js';
import { CtxError } from '#base/errors.js';
import { type JsonObject, listObjects } from '#base/json.js';
import { toOpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { CopiedSession, CopyForm, CopyStamps } from '#session/agents/copier.js';
import { findEnd } from '#session/agents/native-records.js';
import { readAgentSession } from '#session/agents/reader.js';
import type { Head } from '#session/heads/head.js';
import { toByteSource } from '#session/scan/byte-source.js';
import type { Session } from '#session/session.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { buildUnfitCopyError, type CopyDraft } from './copy-draft.js';
import type { SessionToCopy } from './session-to-copy.js';

/** A copy that was read again. */
export interface BuiltCopy {
  readonly bytes: Uint8Array;
  /** The context at its end. */
  readonly context: ContextEnvelope;
  readonly form: CopyForm;
}

/** The forms in which a copy is tried: all records, unless the copy would then show another context. */
const FORMS: readonly CopyForm[] = ['whole', 'path'];

/**
 * The bytes of a copy, which were read again: the context at its end is the predicted one, message by message. Throws a
 * CtxError (refused) for a change that the agent's format cannot hold, for one that leaves no message, and where the context
 * would be another one.
 */
export async function buildCopy(
  session: SessionToCopy,
  { changes, after }: CopyDraft,
  stamps: CopyStamps,
): Promise<BuiltCopy> {
  if (after.messages.cached.length === 0) {
    const title = session.agent?.title ?? 'the agent';
    throw new CtxError('refused', `the copy would have no message, and ${title} opens no such session`, {
      where: session.file,
      hint: 'name a later entry, at which a turn ends',
    });
  }
  const facts = { ...stamps, contextTokens: after.meta.size.tokens };
  const copied = toCopiedSession(session, changes.end);
  let difference: string | null = null;
  for (const form of FORMS) {
    const bytes = locateRefusal(session.file, () =>
      Buffer.concat([...session.copier.write(copied, changes, facts, form)]),
    );
    const read = readAgentSession(toByteSource(bytes), session.file);
    const copy = read && (await toOpenSession(read));
    const context = copy && buildEnvelope(copy, copy.tree.leaf);
    const found = context ? findDifference(after, context) : 'the copy has no messages';
    if (context && found === null) return { bytes, context, form };
    difference ??= found;
  }
  throw new CtxError('refused', `a copy would not show the planned context: ${difference}; nothing was written`, {
    where: session.file,
    hint: changes.end
      ? 'name an entry with which a turn ends: the calls before the end need their results'
      : 'report this with the version of ctx, please',
  });
}

/** A session as its copier needs it. `end`: the entry at which the copy ends; null for the leaf. */
function toCopiedSession(session: Session, end: Head | null): CopiedSession {
  const { native, header, tree, entry } = session;
  if (!native) throw buildUnfitCopyError(session);
  const path = end ? pathTo(tree, end) : activePath(tree);
  const later = end ? listEntriesBefore(session, path, findEnd(native, end)) : [];
  return { id: header.id, path, later, entry, native };
}

/** The entries that follow the end of a path, with records of their own that begin before a place in the file. */
function listEntriesBefore(
  { native, tree: { heads } }: Session,
  path: readonly Head[],
  place: number,
): readonly Head[] {
  const end = path.at(-1)?.index ?? 0;
  const own = new Set(path.flatMap((head) => native?.of(head) ?? []).map(({ offset }) => offset));
  const following = new Set([end]);
  const found: Head[] = [];
  for (let index = end + 1; index < heads.length; index += 1) {
    const head = heads.at(index);
    if (!head || !following.has(heads.parentAt(index))) continue;
    following.add(index);
    if (head.offset > place) continue;
    // A record with several results may be that of two entries.
    const isSeparate = native?.of(head).every(({ offset }) => !own.has(offset)) ?? false;
    if (isSeparate || head.role === 'toolResult') found.push(head);
  }
  return found;
}

/** Does something for a file. An error without a place gets the file as its place. */
function locateRefusal<Result>(where: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CtxError) || error.where !== null) throw error;
    throw new CtxError(error.kind, error.message, { where, ...(error.hint !== null && { hint: error.hint }) });
  }
}

/** The first difference between the planned context and that of the copy, in words; null if there is none. */
export function findDifference(planned: ContextEnvelope, found: ContextEnvelope): string | null {
  return findMessageDifference(planned.messages.cached, found.messages.cached);
}

/** The first difference between planned messages and those that were read, in words; null if there is none. */
export function findMessageDifference(planned: readonly JsonObject[], found: readonly JsonObject[]): string | null {
  const wanted = listContents(planned);
  const have = listContents(found);
  const at = wanted.findIndex((message, place) => message !== have[place]);
  if (at >= 0) return `message ${at + 1} of ${wanted.length} differs`;
  return have.length === wanted.length ? null : `it has ${have.length} messages instead of ${wanted.length}`;
}

/**
 * The content of the messages, as JSON. Answers that follow each other are one: a history that is recorded as a list of
 * items does not tell them apart. The time of a message, and the usage of an answer, are not sent.
 */
function listContents(messages: readonly JsonObject[]): readonly string[] {
  const merged: JsonObject[] = [];
  for (const message of messages) {
    const { role, toolCallId, toolName, isError } = message;
    const last = merged.at(-1);
    const blocks = listBlocks(message);
    if (role === 'assistant' && last?.role === 'assistant')
      merged[merged.length - 1] = { ...last, content: [...listObjects(last.content), ...blocks] };
    else merged.push({ role, content: blocks, toolCallId, toolName, isError });
  }
  return merged.map(canonicalJson);
}
