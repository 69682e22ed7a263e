import { volatileIn } from '#context/request/volatile.js';
import { isSameTarget, type Target } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { type Candidate, classOf, culpritOf } from './candidates.js';
import type { Divergence, Prompt } from './prompt.js';
import { type Before, missedTokens, type PromptUsage, unreadTokens } from './recorded.js';
import type { BreakClass, CacheBreak } from './request.js';

/** All that is known of a request and the one before it. */
export interface Circumstances {
  readonly session: Session;
  readonly before: { readonly prompt: Prompt; readonly target: Target };
  readonly now: { readonly prompt: Prompt; readonly target: Target };
  readonly divergence: Divergence | null;
  readonly candidates: readonly Candidate[];
  /** The entries in between that changed model and thinking level; null where none did. */
  readonly modelChange: Head | null;
  readonly levelChange: Head | null;
  /** Of the newest request before it that has any. */
  readonly recorded: Before | null;
  readonly usage: PromptUsage | null;
  /** Longer ago than the provider keeps a cache. */
  readonly isLate: boolean;
  /** The first entry of the path that the request before in time does not share; null where that is on the path. */
  readonly turnOff: Head | null;
  readonly piMiss: number | null;
}

interface Cause {
  readonly class: BreakClass;
  readonly entryId: string | null;
  readonly line: number | null;
  readonly declared: readonly string[];
}

/** The break at a request; null where nothing was lost and nothing has changed. */
export function breakOf(of: Circumstances): CacheBreak | null {
  const { before, now, usage, recorded, divergence } = of;
  const missed = usage && recorded && missedTokens(recorded, usage);
  const causes = [...provenCauses(of), ...(missed === null ? [] : likelyCauses(of))];
  const isBranch = (missed ?? of.piMiss) !== null && causes.length === 0 && of.turnOff !== null;
  if (isBranch) causes.push(causeOf('branch', of.turnOff));
  if (causes.length === 0 && missed !== null) causes.push(causeOf('unexplained', null));
  const [cause, ...others] = causes;
  if (!cause) return null;
  const isRecorded = usage !== null && recorded !== null && isCacheReported(recorded, usage);
  const isWhole = cause.class === 'model switch';
  const common = isWhole ? 0 : (divergence?.tokens ?? before.prompt.tokens);
  return {
    ...cause,
    also: others.map((other) => other.class),
    divergence,
    volatile: divergence && volatileAt(divergence, now.prompt),
    isRecorded: isRecorded ? missed !== null : null,
    rebilled: isRecorded
      ? { tokens: unreadTokens(recorded, usage), cost: null, isRecorded }
      : { tokens: Math.max(0, Math.min(before.prompt.tokens, now.prompt.tokens) - common), cost: null, isRecorded },
  };
}

function isCacheReported({ reportedCache }: Before, { cacheRead, cacheWrite }: PromptUsage): boolean {
  return reportedCache || cacheRead + cacheWrite > 0;
}

/** What the session itself proves: another model, or other bytes. */
function provenCauses(of: Circumstances): Cause[] {
  const { session, before, now, divergence, candidates } = of;
  const isSwitched = !isSameTarget(before.target, now.target);
  const causes = isSwitched ? [causeOf('model switch', of.modelChange)] : [];
  if (divergence === null) return causes;
  const culprit = culpritOf(candidates, divergence);
  if (culprit) {
    const name = classOf(session, culprit, before.prompt.preamble);
    return [...causes, { ...causeOf(name, culprit.head), declared: culprit.reasons }];
  }
  return isSwitched ? causes : [causeOf('unexplained', null)];
}

/** What explains a miss that was recorded, where what is sent begins as before. */
function likelyCauses({ before, now, isLate, levelChange }: Circumstances): Cause[] {
  const isFirstImage = before.prompt.images === 0 && now.prompt.images > 0;
  return [
    ...(isLate ? [causeOf('ttl', null)] : []),
    ...(levelChange ? [causeOf('thinking level', levelChange)] : []),
    ...(isFirstImage ? [{ ...causeOf('image', null), entryId: now.prompt.firstImage }] : []),
  ];
}

function causeOf(name: BreakClass, head: Head | null): Cause {
  return { class: name, entryId: idText(head?.id), line: head?.line ?? null, declared: [] };
}

/** What kind of changing text stands where the tools or the system prompt of two requests part. */
function volatileAt({ section, index, offset }: Divergence, { preamble }: Prompt): string | null {
  const text = section === 'messages' ? undefined : preamble[section][index]?.text;
  if (text === undefined) return null;
  const start = Math.max(0, offset - AROUND);
  const around = volatileIn(text.slice(start, offset + AROUND));
  return around.find((found) => found.start + start <= offset && offset < found.end + start)?.kind ?? null;
}

/** Longer than anything that changes by itself. */
const AROUND = 400;
