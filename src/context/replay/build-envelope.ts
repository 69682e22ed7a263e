import { once } from '#base/memoize.js';
import { formatId, type Head } from '#session/heads/head.js';
import { nameOf, type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { countTurns } from '#session/tree/turns.js';
import type { OpenSession } from '../open.js';
import { buildComposition, type Composition } from '../size/composition.js';
import { measureContextSizeInSteps } from '../size/context-size.js';
import { sumMessageTokens } from '../size/tokens.js';
import { toWeighedMessage } from '../size/weighed-message.js';
import { readSessionWindow, selectWindow, type WindowOptions } from '../size/window.js';
import { drain, replayInSteps, replayPath } from '../walk.js';
import type { EnvelopeContent, LlmMessage } from './content.js';
import { readLoggedMessages } from './convert.js';
import type { RegionSources } from './declarations.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './entry-kinds.js';
import type { ContextEnvelope, ContextSize, Provenance, RecordedUsage, TokenCount } from './envelope.js';
import { type EnvelopeOverview, toLazyMessages } from './overview.js';
import type { Replay, ReplayOptions } from './replay.js';
import { findSettings } from './settings.js';
import { toMissingImplementationProblem } from './system-messages.js';

export interface EnvelopeOptions extends ReplayOptions, WindowOptions {
  /** Include the messages that were logged for the request at this entry, as uncached. */
  readonly ephemeral?: boolean | undefined;
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
  readonly meta: Pick<
    ContextEnvelope['meta'],
    'edits' | 'compactions' | 'toolsWithoutImplementation' | 'provenance'
  > & {
    readonly sources: RegionSources;
  };
  /** The envelope, built on first use. */
  readonly envelope: () => ContextEnvelope;
}

/**
 * Like `buildEnvelope`, but counts nothing before its `envelope` is called. `replayed`: the context there, if its whole
 * path was walked with the same options.
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
  const content = { ...durable, messages: { ...durable.messages, uncached: place.uncached } };
  const envelope = once((): ContextEnvelope => {
    const counts = drain(countInSteps(place, replay));
    return { ...describePlace(place), ...content, meta: buildMeta(place, replay, counts) };
  });
  const meta = {
    edits: replay.listAppliedEdits(),
    compactions: replay.compactions,
    toolsWithoutImplementation: replay.listUnimplementedTools(),
    provenance: listProvenance(place, replay),
    sources: replay.sources(),
  };
  return { ...content, meta, envelope };
}

/** Builds an envelope like `buildEnvelope`, but parses its messages on each read and keeps none in memory. */
export function buildOverview(session: OpenSession, at: Head | null, options: EnvelopeOptions = {}): EnvelopeOverview {
  return drain(buildOverviewInSteps(session, at, options));
}

/** Builds an envelope like `buildOverview`, but yields the share of its work that is done, from 0 to 1. */
export function* buildOverviewInSteps(
  session: OpenSession,
  at: Head | null,
  options: EnvelopeOptions = {},
): Generator<number, EnvelopeOverview> {
  const place = findPlace(session, at, options);
  yield 0;
  const replay = yield* replayInSteps(session, place.path, { ...options, messages: 'sizes' });
  const counts = yield* countInSteps(place, replay);
  const messages = { cached: replay.listOnDemand(), uncached: toLazyMessages(place.uncached, place.uncachedSources) };
  return { ...describePlace(place), ...replay.declared(), messages, meta: buildMeta(place, replay, counts) };
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
  readonly uncached: readonly LlmMessage[];
  readonly uncachedSources: readonly Provenance[];
}

function findPlace(session: OpenSession, at: Head | null, options: EnvelopeOptions): EnvelopePlace {
  const path = at ? pathTo(session.tree, at) : [];
  const logging = findLogging(path);
  const logged = logging ? readLoggedMessages(session.entry(logging)) : [];
  const uncached = options.ephemeral ? logged : [];
  const uncachedSources = logging ? uncached.map(() => toProvenance(logging)) : [];
  return { session, at, path, options, ephemeralMessages: logged.length, uncached, uncachedSources };
}

/**
 * The entry with the messages logged for the request at the end of a path: the newest `ephemeral`, if no message
 * follows it.
 */
function findLogging(path: readonly Head[]): Head | null {
  const head = path.findLast(({ type }) => type === 'ephemeral' || MESSAGE_TYPES.has(type));
  return head?.type === 'ephemeral' ? head : null;
}

function toProvenance({ id, line }: Head): Provenance {
  return { entryId: formatId(id), line, origin: 'entry' };
}

interface ContextCounts {
  readonly tokens: TokenCount;
  readonly size: ContextSize;
}

/** Counts the context at a place. Yields the share of the work that is done. */
function* countInSteps(place: EnvelopePlace, replay: Replay): Generator<number, ContextCounts> {
  const sent = replay.countTokens();
  const uncached = sumMessageTokens(place.uncached, place.options.method);
  const size = yield* measureContextSizeInSteps(place, replay, uncached);
  const tokens = { ...sent, uncached, total: sent.total + uncached };
  // A prompt that was cut to a window does not tell what the prompt and the tools take.
  return { tokens, size: replay.unseen?.isPreambleUnknown ? { ...size, notItemised: null } : size };
}

/** The parts of an envelope that depend only on its session and its entry. */
function describePlace({ session, at, path }: EnvelopePlace) {
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
  } as const;
}

function buildMeta(place: EnvelopePlace, replay: Replay, { tokens, size }: ContextCounts): ContextEnvelope['meta'] {
  const { session, path, options } = place;
  const { turns, requests } = countTurns(path);
  const settings = findSettings(session, path);
  const window = selectWindow(settings.model, options, readSessionWindow(session));
  const toolsWithoutImplementation = replay.listUnimplementedTools();
  return {
    ...settings,
    limit: window.tokens,
    turnIndex: turns,
    requestIndex: requests,
    tokens,
    size,
    unseen: replay.unseen,
    composition: composeContext(place, replay, { tokens, size }),
    usage: findRecordedUsage(replay, path),
    provenance: listProvenance(place, replay),
    transforms: replay.transforms,
    edits: replay.listAppliedEdits(),
    compactions: replay.compactions,
    ephemeralMessages: place.ephemeralMessages,
    toolsWithoutImplementation,
    sources: { ...replay.sources(), limit: window.source },
    diagnostics: [
      ...session.problems,
      ...replay.diagnostics,
      ...toolsWithoutImplementation.map(toMissingImplementationProblem),
    ],
  };
}

function listProvenance({ uncachedSources }: EnvelopePlace, replay: Replay): readonly Provenance[] {
  return [...replay.messages.listProvenance(), ...uncachedSources];
}

function composeContext(
  { uncached, options: { method } }: EnvelopePlace,
  replay: Replay,
  { tokens: estimate, size }: ContextCounts,
): Composition {
  const { system, tools } = replay.declared();
  const contents = {
    system: system.parts,
    tools,
    sentTools: replay.declaredAsSent().tools,
    cached: replay.messages.weighSent(),
    uncached: uncached.map((message) => toWeighedMessage(message, method)),
  };
  return buildComposition(contents, { size, estimate, method });
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
  const described = { id, version: piVersion, file: session.file, name: nameOf(session), cwd };
  return agent
    ? { ...described, agent: { name: agent.name, title: agent.title, version: agent.version, parts: agent.parts } }
    : described;
}
