import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { listObjects } from '#base/json.js';
import { buildImportLines } from '#change/migrate/import-session.js';
import { hideTransforms } from '#change/plan/stock-view.js';
import { ignorePatches } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import { walkEnvelopes } from '#context/replay/walk-envelopes.js';
import { readAgentSession } from '#session/agents/reader.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { canonicalJson } from '../../src/base/canonical-json.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { generateClaudeCode } from './claude-code.js';
import { generateRollout } from './codex-rollouts.js';
import { projectFolder, sampleFolders } from './files.js';
import { isWhole } from './runs.js';

/** A file of another agent. */
export interface ForeignFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The fixtures and samples of other agents, and `count` generated files of Claude Code and of Codex each. */
export function* foreignFiles(count: number): Generator<ForeignFile> {
  for (const folder of [path.join(projectFolder, 'fixtures/agents'), ...sampleFolders()])
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (/\.jsonl?$/.test(name) && isTried(path.join(folder, name)))
        yield { name, bytes: readFileSync(path.join(folder, name)) };
  for (let seed = 1; seed <= count; seed += 1) {
    yield { name: `claude-code ${seed}`, bytes: Buffer.from(generateClaudeCode(seed, seed % 4 === 3)) };
    yield { name: `codex ${seed}`, bytes: Buffer.from(generateRollout(seed)) };
  }
}

const SHORT_BYTES = 200_000;

function isTried(file: string): boolean {
  return isWhole || statSync(file).size < SHORT_BYTES;
}

/** A session of another agent; null if none of them wrote it. */
export function foreignIn({ name, bytes }: ForeignFile): Session | null {
  return readAgentSession(toByteSource(bytes), name);
}

export function importedBytes(session: Session): Uint8Array {
  return Buffer.concat([...buildImportLines(session)]);
}

/** The messages at every entry with an id of its own, as stock Pi sees a session of Pi. */
export function seenByStock(bytes: Uint8Array): ReadonlyMap<unknown, string> {
  return textsAt(hideTransforms(readSession(toByteSource(bytes), 'imported')), messagesOf, false);
}

/** The messages, or everything that is sent, at every entry with an id of its own. */
export function seenBy(session: Session, isAll = false): ReadonlyMap<unknown, string> {
  return textsAt(session, isAll ? wholeOf : messagesOf, true);
}

function textsAt(
  session: Session,
  wanted: (content: EnvelopeContent) => string,
  hasPatches: boolean,
): ReadonlyMap<unknown, string> {
  const { tree } = session;
  const replayable = hasPatches ? attachPatchReader(session) : ignorePatches(session);
  const texts = new Map<unknown, string>();
  for (const last of [...tree.heads].toReversed()) {
    if (texts.has(last.id)) continue;
    for (const { head, content } of walkEnvelopes(replayable, pathTo(tree, last)))
      if (!texts.has(head.id) && tree.heads.entryOfIdAt(head.index) === head.index) texts.set(head.id, wanted(content));
  }
  return texts;
}

function wholeOf(content: EnvelopeContent): string {
  return `${messagesOf(content)}\n${canonicalJson([content.system.parts, content.tools])}`;
}

/** Most messages are in the contexts of all entries after them. */
const messageTexts = new WeakMap<LlmMessage, string>();

/** Without the usage, which is not sent, without the role of Codex, which Pi does not have, and with each result directly after its call. */
function messagesOf({ messages }: EnvelopeContent): string {
  return withResultsNext(messages.cached).map(textOf).join('\n');
}

/** Messages with each result of the newest answer before other messages that follow the answer. */
function withResultsNext(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const ordered: LlmMessage[] = [];
  let called: readonly unknown[] = [];
  let next = 0;
  for (const message of messages) {
    const at = called.indexOf(message['toolCallId']);
    if (message.role === 'toolResult' && at !== -1) {
      called = called.toSpliced(at, 1);
      ordered.splice(next, 0, message);
      next += 1;
    } else ordered.push(message);
    if (message.role !== 'assistant') continue;
    called = listObjects(message['content']).flatMap(({ type, id }) => (type === 'toolCall' ? [id] : []));
    next = ordered.length;
  }
  return ordered;
}

/** The entries of an import before the next answer that have another parent than before, or come after such an entry. */
export function movedIn(session: Session, bytes: Uint8Array): ReadonlySet<unknown> {
  const { tree } = readSession(toByteSource(bytes), 'imported');
  const moved = new Set<unknown>();
  for (const { id, parentId, role } of session.tree.heads) {
    const parent = tree.heads.find(id)?.parentId;
    const isMoved = moved.has(parentId) || (parent !== parentId && session.tree.heads.has(parent));
    if (role !== 'assistant' && isMoved) moved.add(id);
  }
  return moved;
}

/** A summary without the words of Pi around it, which Claude Code does not say. */
export function unwrapped(message: LlmMessage): LlmMessage {
  const summary = findSummaryText(message) ?? findBranchSummary(message);
  return summary === null ? message : { ...message, content: [{ type: 'text', text: summary }] };
}

function findBranchSummary({ content }: LlmMessage): string | null {
  const [block] = listObjects(content);
  return (
    /^The following is a summary of a branch[^<]*<summary>\n(.*)<\/summary>$/s.exec(String(block?.['text']))?.[1] ??
    null
  );
}

function textOf(message: LlmMessage): string {
  const text = messageTexts.get(message) ?? canonicalJson({ ...unwrapped(message), usage: null, sentRole: null });
  messageTexts.set(message, text);
  return text;
}
