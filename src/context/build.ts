import type { Problem } from '../errors.js';
import { type Head, idText } from '../session/head.js';
import { nameOf, type Session } from '../session/session.js';
import { pathTo } from '../session/tree.js';
import { countTurns } from '../session/turns.js';
import { asString, objectsIn } from '../session/values.js';
import { toLlm } from './convert.js';
import type { Baseline } from './baseline.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import type { ContextEnvelope, Provenance, RecordedUsage } from './envelope.js';
import type { ReadPatch } from './patch-step.js';
import { Replay } from './replay.js';
import { firstNeeded, MESSAGE_TYPES } from './selection.js';
import { settingsOf } from './settings.js';
import { countTokens, recordedTokens } from './tokens.js';

export interface EnvelopeOptions {
  /** What the session does not record. */
  readonly baseline?: Baseline | undefined;
  /** The model's context window in tokens; wins over the baseline's. */
  readonly limit?: number | undefined;
  /** Skip patch ops that break a boundary rule, with a diagnostic, instead of failing. */
  readonly lenient?: boolean | undefined;
  /** Show the messages that were logged for the request at this entry as uncached. */
  readonly ephemeral?: boolean | undefined;
  /** Names of the tools that something implements; without it, those that the session's system messages declare. */
  readonly implementations?: readonly string[] | undefined;
}

/**
 * The envelope at an entry: what the model would be shown next. null is the place before the first entry.
 * Throws a CtxError (input) where a transform breaks a boundary rule, unless lenient.
 */
export function buildEnvelope(
  session: Session,
  at: Head | null,
  readPatch: ReadPatch,
  options: EnvelopeOptions = {},
): ContextEnvelope {
  const path = at ? pathTo(session.tree, at) : [];
  const replay = replayPath(session, path, readPatch, options);
  const ephemeral = ephemeralMessages(session, path);
  const uncached = options.ephemeral ? ephemeral : [];
  const durable = replay.content();
  const content = { ...durable, messages: { ...durable.messages, uncached: uncached.map(({ message }) => message) } };
  const provenance = [...replay.provenance(), ...uncached.map(({ origin }) => origin)];
  const { turns, requests } = countTurns(path);
  const limit = options.limit ?? options.baseline?.limit ?? null;
  const withoutImplementation = toolsWithoutImplementation(content, options.implementations ?? recordedTools(replay));
  return {
    schema: 'ctx/envelope',
    schemaVersion: 1,
    session: describe(session),
    at: {
      entryId: idText(at?.id),
      leafId: idText(session.tree.leaf?.id),
      line: at?.line ?? null,
      depth: Math.max(0, path.length - 1),
    },
    ...content,
    meta: {
      ...settingsOf(session, path),
      limit,
      turnIndex: turns,
      requestIndex: requests,
      tokens: countTokens(content),
      usage: usageOf(content, provenance, path),
      provenance,
      transforms: replay.transforms,
      edits: replay.appliedEdits(),
      compactions: replay.compactions,
      ephemeralMessages: ephemeral.length,
      toolsWithoutImplementation: withoutImplementation,
      sources: { ...replay.sources(), limit: limit === null ? 'unknown' : 'supplied' },
      diagnostics: [...session.problems, ...replay.diagnostics, ...withoutImplementation.map(noImplementation)],
    },
  };
}

/** One entry of a path with what the model would be shown after it. */
export interface EnvelopeStep {
  readonly head: Head;
  readonly content: EnvelopeContent;
  /** What was noted on the way so far. */
  readonly diagnostics: readonly Problem[];
}

/** The envelopes of all entries of a path, one after another. Uncached messages are not part of them. */
export function* envelopesAlong(
  session: Session,
  path: readonly Head[],
  readPatch: ReadPatch,
  options: EnvelopeOptions = {},
): Generator<EnvelopeStep> {
  const replay = newReplay(session, path, readPatch, options);
  for (const [index, head] of path.entries()) {
    replay.step(head, index);
    yield { head, content: replay.content(), diagnostics: replay.diagnostics };
  }
}

function replayPath(session: Session, path: readonly Head[], readPatch: ReadPatch, options: EnvelopeOptions): Replay {
  const replay = newReplay(session, path, readPatch, options);
  const start = firstNeeded(session, path);
  // A path may be long and most of it not needed, so nothing is made for what is passed over.
  for (let index = 0; index < path.length; index += 1) {
    const head = path[index];
    if (head && (index >= start || !MESSAGE_TYPES.has(head.type) || head.role === 'system')) replay.step(head, index);
  }
  return replay;
}

function newReplay(session: Session, path: readonly Head[], readPatch: ReadPatch, options: EnvelopeOptions): Replay {
  return new Replay(session, path, { readPatch, baseline: options.baseline ?? {}, lenient: options.lenient ?? false });
}

function describe(session: Session): ContextEnvelope['session'] {
  const { id, version, cwd } = session.header;
  return { id, version: Number.isNaN(version) ? null : version, file: session.file, name: nameOf(session), cwd };
}

interface EphemeralMessage {
  readonly message: LlmMessage;
  readonly origin: Provenance;
}

/** What was logged for the request at the end of a path: the newest `ephemeral` entry, if no message stands below it. */
function ephemeralMessages(session: Session, path: readonly Head[]): readonly EphemeralMessage[] {
  const head = path.findLast(({ type }) => type === 'ephemeral' || MESSAGE_TYPES.has(type));
  if (head?.type !== 'ephemeral') return [];
  const origin: Provenance = { entryId: idText(head.id), line: head.line, origin: 'entry' };
  return objectsIn(session.entry(head)['messages']).flatMap((logged) => {
    const message = toLlm(logged);
    return message ? [{ message, origin }] : [];
  });
}

const CHANGES_CONTEXT: ReadonlySet<string | null> = new Set(['context_edit', 'context_transform', 'compaction']);

/** The newest usage that a provider recorded for a message which is still in the context. */
function usageOf(
  content: EnvelopeContent,
  provenance: readonly Provenance[],
  path: readonly Head[],
): RecordedUsage | null {
  const { cached } = content.messages;
  const at = cached.findLastIndex((message) => recordedTokens(message) !== null);
  const source = provenance[at];
  const tokens = cached[at] && recordedTokens(cached[at]);
  if (!source || !tokens) return null;
  const after = path.slice(path.findLastIndex(({ line }) => line === source.line) + 1);
  return {
    entryId: source.entryId,
    tokens,
    current: source.origin === 'entry' && !after.some(({ type }) => CHANGES_CONTEXT.has(type)),
  };
}

function toolsWithoutImplementation(
  { tools }: EnvelopeContent,
  implemented: readonly string[] | null,
): readonly string[] {
  if (implemented === null) return [];
  const names = new Set(implemented);
  return tools.map(({ name }) => asString(name) ?? '').filter((name) => !names.has(name));
}

/** null where the session says of no tool that Pi had it: then nothing can be said of the others either. */
function recordedTools(replay: Replay): readonly string[] | null {
  const names = [...replay.recordedToolNames()];
  return names.length === 0 ? null : names;
}

function noImplementation(name: string): Problem {
  return {
    code: 'no-implementation',
    severity: 'warning',
    message: `tool "${name}" has no implementation: omitted at run time`,
    line: null,
    entryId: null,
  };
}
