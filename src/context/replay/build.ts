import type { Problem } from '#base/errors.js';
import { memoizeLast, once } from '#base/memoize.js';
import { formatId, type Head } from '#session/heads/head.js';
import { isOhMyPiSession } from '#session/oh-my-pi.js';
import { nameOf, type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { countTurns } from '#session/tree/turns.js';
import type { ReplayableSession } from '../replayable.js';
import { buildComposition, type Composition, toWeighedMessage } from '../size/composition.js';
import { buildEstimate, measureContextSizeInSteps } from '../size/context-size.js';
import { countTokens, type TokenMethod } from '../size/tokens.js';
import { readSessionWindow, selectWindow, type WindowOptions } from '../size/window.js';
import { drain, replayInSteps, replayPath, walk } from '../walk.js';
import type { EnvelopeContent } from './content.js';
import { readLoggedMessages } from './convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './entry-kinds.js';
import type { ContextEnvelope, Provenance, RecordedUsage, TokenCount } from './envelope.js';
import type { SentMessage } from './message-list.js';
import { type EnvelopeOverview, toLazyMessages } from './overview.js';
import type { Replay } from './replay.js';
import { findSettings } from './settings.js';
import { listUnimplementedTools, toMissingImplementationProblem } from './system.js';

export interface EnvelopeOptions extends WindowOptions {
  /** Include the messages that were logged for the request at this entry, as uncached. */
  readonly ephemeral?: boolean | undefined;
  /** Names of the implemented tools; by default those that the session's system messages declare. */
  readonly implementations?: readonly string[] | undefined;
  /** The token estimator; by default Pi's four characters per token. */
  readonly method?: TokenMethod | undefined;
}

/**
 * The envelope at an entry: the context of the next request. null is the place before the first entry.
 * `replayed`: the context there, if its whole path was walked with the same options.
 * Throws a CtxError (input) if a transform cannot be replayed, unless the session is lenient.
 */
export function buildEnvelope(
  session: ReplayableSession,
  at: Head | null,
  options: EnvelopeOptions = {},
  replayed: Replay | null = null,
): ContextEnvelope {
  return replayContext(session, at, options, replayed).envelope();
}

/** The parts of an envelope that need no tokens to be counted. */
export interface ReplayedContext extends EnvelopeContent {
  readonly meta: UncountedFacts & Pick<ContextEnvelope['meta'], 'provenance'>;
  /** The envelope, built on first use. */
  readonly envelope: () => ContextEnvelope;
}

/** Like `buildEnvelope`, but counts nothing before its `envelope` is called. */
export function replayContext(
  session: ReplayableSession,
  at: Head | null,
  options: EnvelopeOptions = {},
  replayed: Replay | null = null,
): ReplayedContext {
  const target = replayTarget(session, at, options);
  const replay = replayed ?? replayPath(session, target.path, options);
  const durable = replay.content();
  const uncached = target.uncached.map(({ message }) => message);
  const content = { ...durable, messages: { ...durable.messages, uncached } };
  const origins = { provenance: [...replay.messages.provenance(), ...target.uncached.map(({ from }) => from)] };
  const facts = uncountedFacts(replay, content);
  const envelope = once(() => drain(described(target, replay, { content, facts, origins })));
  return { ...content, meta: { ...facts, ...origins }, envelope };
}

/** The metadata that need no tokens to be counted. */
type UncountedFacts = ReturnType<typeof uncountedFacts>;

function uncountedFacts(replay: Replay, content: Pick<EnvelopeContent, 'tools'>) {
  return {
    edits: replay.appliedEdits(),
    compactions: replay.compactions,
    toolsWithoutImplementation: listUnimplementedTools(content, replay.implemented()),
    sources: replay.sources(),
  };
}

/** Like `buildEnvelope`, but its messages are parsed again on each read, and none is kept in memory. */
export function buildOverview(
  session: ReplayableSession,
  at: Head | null,
  options: EnvelopeOptions = {},
): EnvelopeOverview {
  return drain(buildOverviewInSteps(session, at, options));
}

/** Like `buildOverview`, but yields the share of its work that is done, from 0 to 1. */
export function* buildOverviewInSteps(
  session: ReplayableSession,
  at: Head | null,
  options: EnvelopeOptions = {},
): Generator<number, EnvelopeOverview> {
  const target = replayTarget(session, at, options);
  yield 0;
  const replay = yield* replayInSteps(session, target.path, { ...options, messages: 'sizes' });
  const uncached = target.uncached.map(({ message }) => message);
  const origins = target.uncached.map(({ from }) => from);
  const messages = { cached: replay.toLookAt(), uncached: toLazyMessages(uncached, origins) };
  const content = { ...replay.declared(), messages };
  const facts = uncountedFacts(replay, content);
  return yield* described(target, replay, { content, facts, origins: {} });
}

/** The entry of an envelope. */
interface ReplayTarget {
  readonly session: ReplayableSession;
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly options: EnvelopeOptions;
  /** The number of messages that were logged for its request. */
  readonly ephemeralMessages: number;
  /** The logged messages to include. */
  readonly uncached: readonly SentMessage[];
}

function replayTarget(session: ReplayableSession, at: Head | null, options: EnvelopeOptions): ReplayTarget {
  const path = at ? pathTo(session.tree, at) : [];
  const ephemeral = ephemeralMessages(session, path);
  const uncached = options.ephemeral ? ephemeral : [];
  return { session, at, path, options, ephemeralMessages: ephemeral.length, uncached };
}

/** The messages logged for the request at the end of a path: of the newest `ephemeral` entry, if no message follows it. */
function ephemeralMessages(session: Session, path: readonly Head[]): readonly SentMessage[] {
  const head = path.findLast(({ type }) => type === 'ephemeral' || MESSAGE_TYPES.has(type));
  if (head?.type !== 'ephemeral') return [];
  const from: Provenance = { entryId: formatId(head.id), line: head.line, origin: 'entry' };
  return readLoggedMessages(session.entry(head)).map((message) => ({ message, from }));
}

/** The messages of a replay are counted by its method. */
function countIn({ uncached, options }: ReplayTarget, replay: Replay): TokenCount {
  const messages = { cached: [], uncached: uncached.map(({ message }) => message) };
  const others = countTokens({ ...replay.declaredAsSent(), messages }, options.method);
  const cached = replay.messages.counted().tokens;
  return { ...others, cached, total: others.total + cached };
}

/** An entry of a path with the context after it. */
export interface EnvelopeStep {
  readonly head: Head;
  readonly content: EnvelopeContent;
  /** Estimated tokens of the sent content. */
  tokens(): TokenCount;
  readonly diagnostics: readonly Problem[];
}

/** The envelopes of all entries of a path, in order. Uncached messages are not included. */
export function* walkEnvelopes(
  session: ReplayableSession,
  path: readonly Head[],
  options: EnvelopeOptions = {},
): Generator<EnvelopeStep> {
  // They change rarely, and most entries only append a message.
  const tokensOfDeclared = memoizeLast((declared: EnvelopeContent) => countTokens(declared, options.method));
  for (const step of walk(session, path, options).steps) {
    const { head, replay } = step;
    const content = step.take().content();
    const cached = replay.messages.counted().tokens;
    const declared = tokensOfDeclared(replay.declaredAsSent());
    const tokens = (): TokenCount => ({ ...declared, cached, total: declared.total + cached });
    yield { head, content, tokens, diagnostics: replay.diagnostics };
  }
}

/** The messages of an envelope, and their provenance. */
interface Sent<Content, Origins> {
  readonly content: Content;
  readonly facts: UncountedFacts;
  readonly origins: Origins;
}

/** Builds the metadata of an envelope. Yields the share of the work that is done. */
function* described<Content extends Pick<EnvelopeContent, 'tools'>, Origins>(
  target: ReplayTarget,
  replay: Replay,
  { content, facts, origins }: Sent<Content, Origins>,
) {
  const { session, at, path, options, ephemeralMessages: logged } = target;
  const { edits, compactions, toolsWithoutImplementation, sources } = facts;
  const { turns, requests } = countTurns(path);
  const settings = findSettings(session, path);
  const window = selectWindow(settings.model, options, readSessionWindow(session));
  const tokens = countIn(target, replay);
  const declared = tokens.system + tokens.tools;
  const messages = tokens.cached + tokens.uncached;
  const now = { ...buildEstimate(replay, settings.model), declared, messages, uncached: tokens.uncached };
  const { unseen } = replay;
  const counted = yield* measureContextSizeInSteps(target, now);
  // A prompt that was cut to a window does not tell what the prompt and the tools take.
  const size = unseen?.isPreambleUnknown ? { ...counted, notItemised: null } : counted;
  return {
    schema: 'ctx/envelope',
    schemaVersion: 1,
    session: describe(session),
    at: {
      entryId: formatId(at?.id),
      leafId: formatId(session.tree.leaf?.id),
      line: at?.line ?? null,
      depth: Math.max(0, path.length - 1),
    },
    ...content,
    meta: {
      ...settings,
      limit: window.tokens,
      turnIndex: turns,
      requestIndex: requests,
      tokens,
      size,
      unseen,
      composition: compositionIn(target, replay, { size, estimate: tokens, method: options.method }),
      usage: usageOf(replay, path),
      ...origins,
      transforms: replay.transforms,
      edits,
      compactions,
      ephemeralMessages: logged,
      toolsWithoutImplementation,
      sources: { ...sources, limit: window.source },
      diagnostics: [
        ...session.problems,
        ...replay.diagnostics,
        ...toolsWithoutImplementation.map(toMissingImplementationProblem),
      ],
    },
  } as const;
}

function describe(session: Session): ContextEnvelope['session'] {
  const { id, version, cwd } = session.header;
  const agent = agentOf(session);
  const piVersion = session.agent || Number.isNaN(version) ? null : version;
  const known = { id, version: piVersion, file: session.file, name: nameOf(session), cwd };
  return agent ? { ...known, agent } : known;
}

/** The agent that wrote a session, if it is not Pi. oh-my-pi records no version of its own, and its rules change. */
function agentOf(session: Session): ContextEnvelope['session']['agent'] {
  const { agent } = session;
  if (agent) return { name: agent.name, title: agent.title, version: agent.version, parts: agent.parts };
  return isOhMyPiSession(session)
    ? { name: 'oh-my-pi', title: 'oh-my-pi', version: null, parts: PARTS_OF_OH_MY_PI }
    : undefined;
}

const PARTS_OF_OH_MY_PI = {
  system: 'missing',
  tools: 'missing',
  messages: 'approximate',
  compactions: 'approximate',
  usage: 'recorded',
} as const;

function compositionIn(
  { uncached, options }: ReplayTarget,
  replay: Replay,
  measured: Parameters<typeof buildComposition>[1],
): Composition {
  const { system, tools } = replay.declared();
  const composed = { system: system.parts, tools, sentTools: replay.declaredAsSent().tools };
  const logged = uncached.map(({ message }) => toWeighedMessage(message, options.method));
  return buildComposition({ ...composed, cached: replay.messages.weighed(), uncached: logged }, measured);
}

/** The newest usage that a provider recorded for a message that is still in the context. */
function usageOf(replay: Replay, path: readonly Head[]): RecordedUsage | null {
  const last = replay.messages.lastRecorded();
  if (last === null) return null;
  const { entryId, line, origin } = last.from;
  const after = path.slice(path.findLastIndex((head) => head.line === line && formatId(head.id) === entryId) + 1);
  return {
    entryId,
    tokens: last.tokens,
    current: origin === 'entry' && !after.some(({ type }) => CONTEXT_CHANGE_TYPES.has(type)),
  };
}
