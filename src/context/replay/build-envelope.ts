import type { Problem } from '#base/errors.js';
import { memoizeLast, once } from '#base/memoize.js';
import { formatId, type Head } from '#session/heads/head.js';
import { nameOf, type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { countTurns } from '#session/tree/turns.js';
import type { OpenSession } from '../open.js';
import { buildComposition, type Composition, toWeighedMessage } from '../size/composition.js';
import { buildEstimate, measureContextSizeInSteps } from '../size/context-size.js';
import { countTokens, type TokenMethod } from '../size/tokens.js';
import { readSessionWindow, selectWindow, type WindowOptions } from '../size/window.js';
import { drain, replayInSteps, replayPath, walk } from '../walk.js';
import type { EnvelopeContent } from './content.js';
import { readLoggedMessages } from './convert.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './entry-kinds.js';
import type { ContextEnvelope, ContextSize, Provenance, RecordedUsage, TokenCount } from './envelope.js';
import type { SentMessage } from './message-list.js';
import { type EnvelopeOverview, toLazyMessages } from './overview.js';
import type { Replay } from './replay.js';
import { findSettings } from './settings.js';
import { listUnimplementedTools, toMissingImplementationProblem } from './system-messages.js';

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
 * Throws a CtxError (input) if a transform cannot be replayed, unless the session is lenient.
 */
export function buildEnvelope(session: OpenSession, at: Head | null, options: EnvelopeOptions = {}): ContextEnvelope {
  return replayContext(session, at, options).envelope();
}

/** The content of a request and the metadata that need no tokens to be counted. */
export interface ReplayedContext extends EnvelopeContent {
  readonly meta: ReturnType<typeof buildUncountedMeta> & Pick<ContextEnvelope['meta'], 'provenance'>;
  /** The envelope, built on first use. */
  readonly envelope: () => ContextEnvelope;
}

/**
 * Like `buildEnvelope`, but counts nothing before its `envelope` is called. `replayed`: the context there, if its whole path
 * was walked with the same options.
 */
export function replayContext(
  session: OpenSession,
  at: Head | null,
  options: EnvelopeOptions = {},
  replayed: Replay | null = null,
): ReplayedContext {
  const place = findPlace(session, at, options);
  const replay = replayed ?? replayPath(session, place.path, options);
  const durable = replay.content();
  const uncached = place.uncached.map(({ message }) => message);
  const content = { ...durable, messages: { ...durable.messages, uncached } };
  const provenance = [...replay.messages.provenance(), ...place.uncached.map(({ from }) => from)];
  const envelope = once(() => drain(completeEnvelope(place, replay, content, { provenance })));
  return { ...content, meta: { ...buildUncountedMeta(replay), provenance }, envelope };
}

/** Like `buildEnvelope`, but its messages are parsed again on each read, and none is kept in memory. */
export function buildOverview(session: OpenSession, at: Head | null, options: EnvelopeOptions = {}): EnvelopeOverview {
  return drain(buildOverviewInSteps(session, at, options));
}

/** Like `buildOverview`, but yields the share of its work that is done, from 0 to 1. */
export function* buildOverviewInSteps(
  session: OpenSession,
  at: Head | null,
  options: EnvelopeOptions = {},
): Generator<number, EnvelopeOverview> {
  const place = findPlace(session, at, options);
  yield 0;
  const replay = yield* replayInSteps(session, place.path, { ...options, messages: 'sizes' });
  const uncached = toLazyMessages(
    place.uncached.map(({ message }) => message),
    place.uncached.map(({ from }) => from),
  );
  const content = { ...replay.declared(), messages: { cached: replay.toLookAt(), uncached } };
  return yield* completeEnvelope(place, replay, content, {});
}

/** The entry of an envelope, and what was logged for its request. */
interface EnvelopePlace {
  readonly session: OpenSession;
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly options: EnvelopeOptions;
  /** The number of messages that were logged for its request. */
  readonly ephemeralMessages: number;
  /** The logged messages to include. */
  readonly uncached: readonly SentMessage[];
}

function findPlace(session: OpenSession, at: Head | null, options: EnvelopeOptions): EnvelopePlace {
  const path = at ? pathTo(session.tree, at) : [];
  const logged = readLogged(session, path);
  const uncached = options.ephemeral ? logged : [];
  return { session, at, path, options, ephemeralMessages: logged.length, uncached };
}

/** The messages logged for the request at the end of a path: of the newest `ephemeral` entry, if no message follows it. */
function readLogged(session: Session, path: readonly Head[]): readonly SentMessage[] {
  const head = path.findLast(({ type }) => type === 'ephemeral' || MESSAGE_TYPES.has(type));
  if (head?.type !== 'ephemeral') return [];
  const from: Provenance = { entryId: formatId(head.id), line: head.line, origin: 'entry' };
  return readLoggedMessages(session.entry(head)).map((message) => ({ message, from }));
}

/**
 * Adds to the content of a request where and of what it is. `origins`: the sources of its messages, where these are in
 * memory. Yields the share of the work that is done.
 */
function* completeEnvelope<Content extends Pick<EnvelopeContent, 'tools'>, Origins>(
  place: EnvelopePlace,
  replay: Replay,
  content: Content,
  origins: Origins,
) {
  const { session, at, path } = place;
  return {
    schema: 'ctx/envelope',
    schemaVersion: 1,
    session: describeSession(session),
    at: {
      entryId: formatId(at?.id),
      leafId: formatId(session.tree.leaf?.id),
      line: at?.line ?? null,
      depth: Math.max(0, path.length - 1),
    },
    ...content,
    meta: yield* buildEnvelopeMeta(place, replay, origins),
  } as const;
}

function* buildEnvelopeMeta<Origins>(place: EnvelopePlace, replay: Replay, origins: Origins) {
  const { session, path, options } = place;
  const { turns, requests } = countTurns(path);
  const settings = findSettings(session, path);
  const window = selectWindow(settings.model, options, readSessionWindow(session));
  const tokens = countEnvelopeTokens(place, replay);
  const size = yield* measureSize(place, replay, { tokens, model: settings.model });
  const { edits, compactions, toolsWithoutImplementation, sources } = buildUncountedMeta(replay);
  return {
    ...settings,
    limit: window.tokens,
    turnIndex: turns,
    requestIndex: requests,
    tokens,
    size,
    unseen: replay.unseen,
    composition: composeParts(place, replay, { size, estimate: tokens, method: options.method }),
    usage: findRecordedUsage(replay, path),
    ...origins,
    transforms: replay.transforms,
    edits,
    compactions,
    ephemeralMessages: place.ephemeralMessages,
    toolsWithoutImplementation,
    sources: { ...sources, limit: window.source },
    diagnostics: [
      ...session.problems,
      ...replay.diagnostics,
      ...toolsWithoutImplementation.map(toMissingImplementationProblem),
    ],
  };
}

/** The metadata that need no tokens to be counted. */
function buildUncountedMeta(replay: Replay) {
  return {
    edits: replay.listAppliedEdits(),
    compactions: replay.compactions,
    toolsWithoutImplementation: listUnimplementedTools(replay.declared(), replay.listImplementedTools()),
    sources: replay.sources(),
  };
}

/** The messages of a replay are counted by its method. */
function countEnvelopeTokens({ uncached, options }: EnvelopePlace, replay: Replay): TokenCount {
  const messages = { cached: [], uncached: uncached.map(({ message }) => message) };
  const others = countTokens({ ...replay.declaredAsSent(), messages }, options.method);
  const cached = replay.messages.countSent().tokens;
  return { ...others, cached, total: others.total + cached };
}

function* measureSize(
  place: EnvelopePlace,
  replay: Replay,
  { tokens, model }: { readonly tokens: TokenCount; readonly model: ContextEnvelope['meta']['model'] },
): Generator<number, ContextSize> {
  const declared = tokens.system + tokens.tools;
  const messages = tokens.cached + tokens.uncached;
  const now = { ...buildEstimate(replay, model), declared, messages, uncached: tokens.uncached };
  const size = yield* measureContextSizeInSteps(place, now);
  // A prompt that was cut to a window does not tell what the prompt and the tools take.
  return replay.unseen?.isPreambleUnknown ? { ...size, notItemised: null } : size;
}

function composeParts(
  { uncached, options }: EnvelopePlace,
  replay: Replay,
  measured: Parameters<typeof buildComposition>[1],
): Composition {
  const { system, tools } = replay.declared();
  const composed = { system: system.parts, tools, sentTools: replay.declaredAsSent().tools };
  const logged = uncached.map(({ message }) => toWeighedMessage(message, options.method));
  return buildComposition({ ...composed, cached: replay.messages.weighSent(), uncached: logged }, measured);
}

/** The newest usage that a provider recorded for a message that is still in the context. */
function findRecordedUsage(replay: Replay, path: readonly Head[]): RecordedUsage | null {
  const last = replay.messages.findLastRecorded();
  if (last === null) return null;
  const { entryId, line, origin } = last.from;
  const after = path.slice(path.findLastIndex((head) => head.line === line && formatId(head.id) === entryId) + 1);
  return {
    entryId,
    tokens: last.tokens,
    current: origin === 'entry' && !after.some(({ type }) => CONTEXT_CHANGE_TYPES.has(type)),
  };
}

function describeSession(session: Session): ContextEnvelope['session'] {
  const { id, version, cwd } = session.header;
  const { agent } = session;
  const piVersion = agent || Number.isNaN(version) ? null : version;
  const known = { id, version: piVersion, file: session.file, name: nameOf(session), cwd };
  return agent
    ? { ...known, agent: { name: agent.name, title: agent.title, version: agent.version, parts: agent.parts } }
    : known;
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
  session: OpenSession,
  path: readonly Head[],
  options: EnvelopeOptions = {},
): Generator<EnvelopeStep> {
  // They change rarely, and most entries only append a message.
  const tokensOfDeclared = memoizeLast((declared: EnvelopeContent) => countTokens(declared, options.method));
  for (const step of walk(session, path, options).steps) {
    const { head, replay } = step;
    const content = step.take().content();
    const cached = replay.messages.countSent().tokens;
    const declared = tokensOfDeclared(replay.declaredAsSent());
    const tokens = (): TokenCount => ({ ...declared, cached, total: declared.total + cached });
    yield { head, content, tokens, diagnostics: replay.diagnostics };
  }
}
