import { asCount, asObject } from '#base/json.js';
import type { SessionWindow } from '#session/agents/define.js';
import type { Head } from '#session/heads/head.js';
import { IMPORTED_FROM } from '#session/scan/imported-from.js';
import type { Session } from '#session/session.js';
import type { Baseline } from '../replay/content.js';
import type { ContextEnvelope, LimitSource, RequestModel } from '../replay/envelope.js';
import { findSettings } from '../replay/settings.js';

/** The sources of a context window's size. The first available one wins. */
export interface WindowOptions {
  /** Tokens from the command line. */
  readonly limit?: number | undefined;
  /** Tokens from the configuration. */
  readonly configuredLimit?: number | undefined;
  /** The parts, tools, options and limit that the session does not record. */
  readonly baseline?: Baseline | undefined;
  /** The tokens in a list of models; null for a model that is not in it. */
  readonly assumedWindow?: ((model: NonNullable<RequestModel>) => number | null) | undefined;
}

/** The context window of a session's model at an entry. */
export interface ContextWindow {
  /** null if the source is unknown. */
  readonly tokens: number | null;
  readonly source: LimitSource;
  /** The id of the model from the session; null if it names none. */
  readonly model: string | null;
}

/** A context window whose size is known. */
export type KnownWindow = ContextWindow & { readonly tokens: number; readonly source: Exclude<LimitSource, 'unknown'> };

export function isWindowKnown(window: ContextWindow): window is KnownWindow {
  return window.tokens !== null;
}

/** Recorded tokens of a request and its answer that are more than the context window has. */
export interface WindowOverrun {
  readonly tokens: number;
  readonly window: KnownWindow;
}

/** null if the tokens fit in a context window, no count of a provider has them, or the window is unknown. */
export function findWindowOverrun(
  { recorded, method }: Pick<ContextEnvelope['meta']['size'], 'recorded' | 'method'>,
  window: ContextWindow,
): WindowOverrun | null {
  const isAbove = isWindowKnown(window) && method !== 'derived' && recorded > window.tokens;
  return isAbove ? { tokens: recorded, window } : null;
}

/**
 * Selects the context window of a model. `ofSession`: what the session reveals of the window; null if it reveals
 * nothing, as in Pi.
 */
export function selectWindow(
  model: RequestModel,
  options: WindowOptions,
  ofSession: SessionWindow | null = null,
): ContextWindow {
  const { limit, configuredLimit, baseline, assumedWindow } = options;
  const name = model?.modelId ?? null;
  if (limit !== undefined) return { tokens: limit, source: 'supplied', model: name };
  if (configuredLimit !== undefined) return { tokens: configuredLimit, source: 'configured', model: name };
  if (baseline?.limit !== undefined) return { tokens: baseline.limit, source: 'supplied', model: name };
  if (ofSession !== null) return { ...ofSession, model: name };
  const tokens = (model && assumedWindow?.(model)) ?? null;
  return { tokens, source: tokens === null ? 'unknown' : 'assumed', model: name };
}

/** The context window of the model at the end of a path. */
export function findWindow(session: Session, path: readonly Head[], options: WindowOptions): ContextWindow {
  return selectWindow(findSettings(session, path).model, options, readSessionWindow(session));
}

/**
 * Reads the context window that a session reveals, or that the session revealed from which it was imported; null for
 * none.
 */
export function readSessionWindow({ agent, header }: Pick<Session, 'agent' | 'header'>): SessionWindow | null {
  if (agent) return agent.contextWindow;
  const { tokens, source } = asObject(asObject(header.fields[IMPORTED_FROM]).contextWindow);
  const count = asCount(tokens);
  if (count === null || count === 0) return null;
  return { tokens: count, source: source === 'recorded' ? 'recorded' : 'assumed' };
}

/** The context window that an envelope has. */
export function toWindow({
  model,
  limit,
  sources,
}: Pick<ContextEnvelope['meta'], 'model' | 'limit' | 'sources'>): ContextWindow {
  return { tokens: limit, source: sources.limit, model: model?.modelId ?? null };
}

/** ` (claude-sonnet-4-5, assumed)` for a context window from a list of models; empty for one that the user has set. */
export function describeAssumedWindow({ source, model }: Pick<ContextWindow, 'source' | 'model'>): string {
  return source === 'assumed' ? ` (${model === null ? '' : `${model}, `}assumed)` : '';
}
