import type { SystemPart, ToolDefinition } from '#context/replay/content.js';
import type { AgentMessage } from '../contract.js';
import type { ListStyle } from './list-style.js';
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
  /** The budget of its content, in estimated tokens. */
  readonly maxTokens: number;
}

/** A text from the configuration. */
export interface SourceText {
  /** The path that the model is told. */
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

/** A source of content for the context. It is pure: it returns the same content for the same situation. */
export interface Injector extends Placement {
  readonly name: string;
  /** The description of its content, in one line. */
  readonly summary: string;
  /** `files`: it does nothing without texts. */
  readonly needs: 'nothing' | 'files';
  /** The default number of best matches; null for an injector without a selection. */
  readonly top: number | null;
  /** Whether no configuration can move its content to another place of the request. */
  readonly isFixed: boolean;
  /** Returns its content, which is cut at the end if it exceeds the budget; null for none. */
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
