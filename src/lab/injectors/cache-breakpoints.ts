import type { AssemblyDocument } from '../assembly-document.js';
import type { CacheStrategy } from './define.js';

/** A place up to which a provider keeps a request in its cache. */
export interface CacheBreakpoint {
  readonly place: 'tools' | 'system' | 'messages';
  /** The tool, system part or message that it follows, counted from 0. */
  readonly at: number;
  readonly ttl: CacheTtl;
}

/** The TTLs of Anthropic's cache: an hour, which costs more to write, and five minutes. */
export type CacheTtl = '1h' | '5m';

const TTL_BY_STRATEGY: Readonly<Record<CacheStrategy, CacheTtl | null>> = {
  stable: '1h',
  session: '5m',
  dynamic: null,
};

/** Anthropic accepts four breakpoints. */
const MOST = 4;

type AssembledRequest = Pick<AssemblyDocument, 'placed' | 'system' | 'tools' | 'messages'>;

/**
 * The breakpoints of an assembled request, by the cache strategies of its content: one after the last tool, one after
 * the last system part of each strategy, one after the leading message, and one after the conversation, where the next
 * request continues. The prompt cache begins with the tools, so a longer TTL never follows a shorter one. Of more than
 * four, the one after the tools is left out, because the one after the prompt contains them.
 */
export function listCacheBreakpoints({
  placed,
  system,
  tools,
  messages,
}: AssembledRequest): readonly CacheBreakpoint[] {
  const ofTools = placed.find(({ place }) => place === 'tools');
  const hasLeading = placed.some(({ place }) => place === 'leading');
  const found = [
    ...toBreakpoint('tools', tools.length - 1, ofTools?.cache ?? 'stable'),
    ...listSystemBreakpoints(placed, system.parts),
    ...(hasLeading ? toBreakpoint('messages', 0, 'session') : []),
    ...toBreakpoint('messages', messages.cached.length - 1, 'session'),
  ];
  const distinct = found.filter(({ place, at }, nth) => {
    return found.findIndex((other) => other.place === place && other.at === at) === nth;
  });
  return distinct.slice(-MOST);
}

function toBreakpoint(place: CacheBreakpoint['place'], at: number, cache: CacheStrategy): readonly CacheBreakpoint[] {
  const ttl = TTL_BY_STRATEGY[cache];
  return at < 0 || ttl === null ? [] : [{ place, at, ttl }];
}

/** Parts are in the order of their injectors, so the names of one strategy end where those of the next begin. */
function listSystemBreakpoints(
  placed: AssembledRequest['placed'],
  parts: AssembledRequest['system']['parts'],
): readonly CacheBreakpoint[] {
  const rows = placed.filter(({ place }) => place === 'system');
  const counts = { stable: 0, session: 0, dynamic: 0 };
  for (const { cache, names } of rows) counts[cache ?? 'stable'] += names.length;
  const stable = toBreakpoint('system', parts.length - 1 - counts.session, 'stable');
  return counts.session > 0 ? [...stable, ...toBreakpoint('system', parts.length - 1, 'session')] : stable;
}
