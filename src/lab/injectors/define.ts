import type { SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { AssemblyDocument } from '../assembly-document.js';
import type { AgentMessage } from '../contract.js';
import type { ObservedConversation } from './observer.js';

/** The place of content in a request: the prompt, the leading message, the tail. */
export const PHASES = ['system', 'user-context', 'runtime'] as const;
export type Phase = (typeof PHASES)[number];

/** The lifetime of content: that of the prompt, a session, or one request. */
export const CACHE_STRATEGIES = ['stable', 'session', 'dynamic'] as const;
export type CacheStrategy = (typeof CACHE_STRATEGIES)[number];

/** The settings of every injector. */
export interface Placement {
  readonly phase: Phase;
  readonly cache: CacheStrategy;
  /** Within a phase and a cache strategy the smaller number comes first. */
  readonly priority: number;
  /** The most that it may put into the context, in estimated tokens. */
  readonly maxTokens: number;
}

/** A text from the configuration. */
export interface SourceText {
  /** As the model is told of it. */
  readonly path: string;
  readonly text: string;
}

/** The input of an injector. */
export interface Situation {
  /** The prompt and the tools as the session, or a baseline, has them. */
  readonly parts: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  /** The conversation so far: its messages, and the facts in them. */
  readonly messages: readonly AgentMessage[];
  readonly observed: ObservedConversation;
  /** The query: the first request of the session for content that is cached, the newest one for other content. */
  readonly query: string;
  readonly style: ListStyle;
}

/** An injector's own settings. */
interface Settings {
  readonly texts: readonly SourceText[];
  /** The number of best items that it takes. */
  readonly top: number;
}

export type InjectorContent =
  /** A text under a heading; null: without one. */
  | { readonly kind: 'text'; readonly heading: string | null; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly SystemPart[] }
  | { readonly kind: 'tools'; readonly tools: readonly ToolDefinition[] };

/** One thing that puts content into the context. It is pure: the same situation always gives the same. */
export interface Injector extends Placement {
  readonly name: string;
  /** Its content, in one line. */
  readonly summary: string;
  /** `files`: it does nothing without texts. */
  readonly needs: 'nothing' | 'files';
  /** The default number of best matches; null for an injector without a selection. */
  readonly top: number | null;
  /** Its place in the request is fixed, and no configuration moves it. */
  readonly isFixed: boolean;
  /** null: it has no content. Content above its budget is cut at its end. */
  inject(
    situation: Situation,
    settings: Settings & Pick<Placement, 'maxTokens'>,
  ): InjectorContent | null | Promise<InjectorContent | null>;
}

type Defaults = Pick<Injector, 'needs' | 'top' | 'isFixed'>;
const DEFAULTS: Defaults = { needs: 'nothing', top: null, isFixed: false };

export function defineBuiltinInjector(definition: Omit<Injector, keyof Defaults> & Partial<Defaults>): Injector {
  return { ...DEFAULTS, ...definition };
}

/** An injector as it takes part in an assembly. */
export interface ActiveInjector {
  readonly injector: Injector;
  readonly placement: Placement;
  readonly settings: Settings;
}

/** Uncached content must not come before cached content. */
export function fitsPhase({ phase, cache }: Pick<Placement, 'phase' | 'cache'>): boolean {
  return (phase === 'runtime') === (cache === 'dynamic');
}

/** An injector of the user: a text, verbatim. */
export function buildTextInjector(name: string, placement: Placement): Injector {
  return defineBuiltinInjector({
    name,
    summary: 'A text from the configuration',
    ...placement,
    needs: 'files',
    inject(_, { texts }) {
      const text = texts.map((each) => each.text.trim()).join('\n\n');
      return text === '' ? null : { kind: 'text', heading: null, text };
    },
  });
}

const STYLES = {
  progress: ['fraction', 'percentage', 'bar', 'count'],
  separator: ['', '---', '===', '***'],
  list: ['bulleted', 'numbered', 'indented'],
  label: ['Progress:', 'Status:', 'Current state:'],
} as const;

/** The style of lists, sections and progress. */
export type ListStyle = { readonly [Part in keyof typeof STYLES]: (typeof STYLES)[Part][number] };

/** The style without variation. */
export const PLAIN_STYLE: ListStyle = { progress: 'fraction', separator: '', list: 'bulleted', label: 'Progress:' };

/**
 * The style of a request: fixed for one seed and number, and different for most others, so that a model does not fall
 * into answering a pattern. null: nothing varies.
 */
export function pickListStyle(seed: number | null, request: number): ListStyle {
  if (seed === null) return PLAIN_STYLE;
  const draw = numbersFrom(seed, request);
  return {
    progress: pick(STYLES.progress, draw()),
    separator: pick(STYLES.separator, draw()),
    list: pick(STYLES.list, draw()),
    label: pick(STYLES.label, draw()),
  };
}

function pick<const Value>(values: readonly [Value, ...Value[]], at: number): Value {
  return values[at % values.length] ?? values[0];
}

/** Whole numbers that look random: Mulberry32. */
function numbersFrom(seed: number, request: number): () => number {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(request + 1, 0xc2b2ae35);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export function formatList(lines: readonly string[], { list }: Pick<ListStyle, 'list'>): string {
  return lines
    .map((line, at) => `${list === 'numbered' ? `${at + 1}. ` : list === 'bulleted' ? '- ' : '  '}${line}`)
    .join('\n');
}

/** Progress, in words or as a bar. */
export function formatProgress(done: number, all: number, { progress }: Pick<ListStyle, 'progress'>): string {
  switch (progress) {
    case 'fraction':
      return `${done}/${all} steps completed`;
    case 'percentage':
      return `${all === 0 ? 0 : Math.floor((done / all) * 100)}% of ${all} steps completed`;
    case 'bar': {
      const filled = all === 0 ? 0 : Math.floor((done / all) * BAR);
      return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${all}`;
    }
    case 'count':
      return `${done} of ${all} steps completed, ${all - done} to go`;
  }
}

const BAR = 10;

/** A place up to which a provider keeps a request in its cache. */
export interface CacheBreakpoint {
  readonly place: 'tools' | 'system' | 'messages';
  /** The tool, system part or message that it follows, counted from 0. */
  readonly at: number;
  readonly ttl: CacheTtl;
}

/** The TTLs of Anthropic's cache: an hour, which costs more to write, and five minutes. */
export type CacheTtl = '1h' | '5m';

const TTL_OF: Readonly<Record<CacheStrategy, CacheTtl | null>> = { stable: '1h', session: '5m', dynamic: null };

/** Anthropic accepts four breakpoints. */
const MOST = 4;

type Assembled = Pick<AssemblyDocument, 'placed' | 'system' | 'tools' | 'messages'>;

/**
 * The breakpoints of an assembled request, by the cache strategies of its content: one after the last tool, one after
 * the last system part of each strategy, one after the leading message, and one after the conversation, where the next
 * request continues. The prompt cache begins with the tools, so a longer TTL never follows a shorter one. Of more than
 * four, the one after the tools is left out, because the one after the prompt contains them.
 */
export function listCacheBreakpoints({ placed, system, tools, messages }: Assembled): readonly CacheBreakpoint[] {
  const ofTools = placed.find(({ place }) => place === 'tools');
  const found = [
    ...breakpoint('tools', tools.length - 1, ofTools?.cache ?? 'stable'),
    ...systemBreakpoints(placed, system.parts),
    ...(placed.some(({ place }) => place === 'leading') ? breakpoint('messages', 0, 'session') : []),
    ...breakpoint('messages', messages.cached.length - 1, 'session'),
  ];
  const distinct = found.filter(({ place, at }, nth) => {
    return found.findIndex((other) => other.place === place && other.at === at) === nth;
  });
  return distinct.slice(Math.max(0, distinct.length - MOST));
}

function breakpoint(place: CacheBreakpoint['place'], at: number, cache: CacheStrategy): readonly CacheBreakpoint[] {
  const ttl = TTL_OF[cache];
  return at < 0 || ttl === null ? [] : [{ place, at, ttl }];
}

/** Parts are in the order of their injectors, so the names of one strategy end where those of the next begin. */
function systemBreakpoints(
  placed: Assembled['placed'],
  parts: Assembled['system']['parts'],
): readonly CacheBreakpoint[] {
  const rows = placed.filter(({ place }) => place === 'system');
  const counts = { stable: 0, session: 0, dynamic: 0 };
  for (const { cache, names } of rows) counts[cache ?? 'stable'] += names.length;
  const session = counts.session > 0 ? breakpoint('system', parts.length - 1, 'session') : [];
  return [...breakpoint('system', parts.length - 1 - counts.session, 'stable'), ...session];
}
