import type { Problem } from '#base/errors.js';
import { type Volatile, volatileIn } from '#context/request/volatile.js';
import { CacheWalk, type CacheSource } from './along-path.js';
import { withCosts } from './costs.js';
import type { Preamble } from './prompt.js';
import {
  type BreakClass,
  type CacheOptions,
  type CacheRequest,
  CLASSES,
  DEFAULTS,
  type IdleDeclaration,
} from './request.js';

/** The use that the requests of a path could make of their caches. */
export interface CacheReport {
  readonly requests: readonly CacheRequest[];
  readonly totals: CacheTotals;
  /** Reasons that were declared although nothing that had been sent changed. */
  readonly declaredForNothing: readonly IdleDeclaration[];
  /** Texts in tools and system prompt at the end of the path that change from one session to the next. */
  readonly volatile: readonly VolatileText[];
  readonly diagnostics: readonly Problem[];
}

export interface CacheTotals {
  readonly requests: number;
  /** Requests of which a provider reported tokens. */
  readonly recorded: number;
  /** Tokens of these requests, recorded. */
  readonly prompt: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly breaks: number;
  readonly undeclared: number;
  readonly rebilled: Sum;
  readonly byClass: readonly ({ readonly class: BreakClass; readonly breaks: number } & Sum)[];
  /** Misses by Pi's own rule. */
  readonly piMisses: number;
  readonly piMissedTokens: number;
  /** Requests that the rule of thumb takes for misses. */
  readonly naiveMisses: number;
}

/** Recorded tokens, and dollars, null where the rates of one of them are not known. */
interface Sum {
  readonly tokens: number;
  readonly cost: number | null;
  /** Estimated, of the breaks of which nothing is recorded. */
  readonly estimated: number;
}

interface VolatileText {
  readonly section: 'tools' | 'system';
  readonly name: string;
  readonly kind: Volatile['kind'];
  readonly text: string;
  /** In the text of the part, or in the canonical JSON of the tool. */
  readonly offset: number;
}

export function reportCache(source: CacheSource, options: CacheOptions = DEFAULTS): CacheReport {
  const along = new CacheWalk(source, options);
  const requests = withCosts([...along.requests()]);
  return {
    requests,
    totals: totalsOf(requests),
    declaredForNothing: along.idle,
    volatile: volatileTexts(along.preamble),
    diagnostics: along.diagnostics,
  };
}

/** Whether a change of what was sent has to be declared. Compactions and the like say themselves what they are for. */
export function isUndeclared({ class: name, declared }: { class: BreakClass; declared: readonly string[] }): boolean {
  return declared.length === 0 && ['edit', 'system', 'tools', 'tool order', 'transform'].includes(name);
}

function totalsOf(requests: readonly CacheRequest[]): CacheTotals {
  const usages = requests.flatMap(({ usage }) => usage ?? []);
  const breaks = requests.flatMap(({ broken }) => broken ?? []);
  const sum = (field: 'prompt' | 'cacheRead' | 'cacheWrite'): number =>
    usages.reduce((all, usage) => all + usage[field], 0);
  const misses = requests.flatMap(({ piMiss }) => piMiss ?? []);
  return {
    requests: requests.length,
    recorded: usages.length,
    prompt: sum('prompt'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
    breaks: breaks.length,
    undeclared: breaks.filter(isUndeclared).length,
    rebilled: sumOf(breaks),
    byClass: CLASSES.flatMap((name) => {
      const of = breaks.filter((broken) => broken.class === name);
      return of.length === 0 ? [] : [{ class: name, breaks: of.length, ...sumOf(of) }];
    }),
    piMisses: misses.length,
    piMissedTokens: misses.reduce((all, missed) => all + missed, 0),
    naiveMisses: requests.filter(({ isNaiveMiss }) => isNaiveMiss).length,
  };
}

type Broken = NonNullable<CacheRequest['broken']>;

function sumOf(breaks: readonly Broken[]): Sum {
  let [tokens, estimated] = [0, 0];
  let cost: number | null = 0;
  for (const { rebilled } of breaks) {
    if (rebilled.isRecorded) tokens += rebilled.tokens;
    else estimated += rebilled.tokens;
    cost = cost === null || rebilled.cost === null ? null : cost + rebilled.cost;
  }
  return { tokens, cost, estimated };
}

/** The first of each kind in each text: the others change along with it. */
function volatileTexts(preamble: Preamble): readonly VolatileText[] {
  return (['tools', 'system'] as const).flatMap((section) =>
    preamble[section].flatMap(({ name, text }) => {
      const found = new Map<Volatile['kind'], Volatile>();
      for (const each of volatileIn(text)) if (!found.has(each.kind)) found.set(each.kind, each);
      return [...found.values()].map(({ kind, start, end }) => {
        return { section, name, kind, text: text.slice(start, end), offset: start };
      });
    }),
  );
}
