import { readTransformerName } from '#context/replay/repeated-transform.js';
import type { Replay } from '#context/replay/replay.js';
import { findVolatileMatches } from '#context/request/volatile.js';
import { isSameTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { type AgentNotice, NOTICE_KINDS } from '#session/agents/define.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { BREAK_CLASSES_BY_REASON, type BreakClass } from './break-classes.js';
import { measureDepth } from './divergence.js';
import type { CacheBreak, CacheSummary, Divergence } from './document.js';
import { countMissedTokens, countUnreadTokens, type EarlierPrompt } from './pi-misses.js';
import { hasSameToolSet, type Preamble, type Prompt } from './prompt.js';
import type { PromptUsage } from './recorded-answer.js';

interface ComparedRequest {
  readonly prompt: Prompt;
  readonly target: RequestTarget;
  /** The agent of the program that asked, such as `plan`; null if it is not recorded. */
  readonly agent: string | null;
}

/** A circumstance of a request, with its entry if it has one. */
export interface RequestNotice extends AgentNotice {
  readonly entryId: string | null;
}

/** A request and the previous one: the facts that determine the cause of a break. */
export interface BreakContext {
  readonly session: Session;
  readonly before: ComparedRequest;
  readonly now: ComparedRequest;
  readonly divergence: Divergence | null;
  readonly candidates: readonly RewritingEntry[];
  /** The entries in between that changed model and thinking level; null if there are none. */
  readonly modelChange: Head | null;
  readonly levelChange: Head | null;
  /** The record of the newest earlier request that has one. */
  readonly recorded: EarlierPrompt | null;
  readonly usage: PromptUsage | null;
  /** The record of a request that an extension changed in another way than the previous one; null if there is none. */
  readonly changedRecord: Head | null;
  /** Whether the previous request was longer ago than the lifetime of the cache, and its messages were not read. */
  readonly isExpired: boolean;
  /** The lifetime of the cache of the previous request, in words. */
  readonly lifetime: string;
  /** Whether the request read most of the messages of the previous one. */
  readonly hasReadMost: boolean;
  /** The first entry of the path that the previous request in time does not share; null if that is on the path. */
  readonly turnOff: Head | null;
  /** Whether Pi counts a miss, by its own rule. */
  readonly isPiMiss: boolean;
  /** The last entries between the two requests. */
  readonly between: readonly Head[];
  /** The provider's own reason for a miss; null if it reports none. */
  readonly reportedReason: string | null;
  /** The circumstances that the file records beside the messages. They are read only if they are asked for. */
  notices(): readonly RequestNotice[];
  /** Whether the request read only what other requests read of tools and prompt. */
  isFloor(): boolean;
}

type BreakCause = Pick<CacheBreak, 'class' | 'entryId' | 'line' | 'declaredReasons' | 'detail' | 'evidence'>;

/** The break at a request; null if nothing was lost and nothing changed. */
export function findBreak(of: BreakContext): CacheBreak | null {
  const { session, now, usage, recorded, divergence } = of;
  const isMiss = usage !== null && recorded !== null && !(of.hasReadMost && isCacheBehind(now.target, recorded, usage));
  const missed = isMiss ? countMissedTokens(recorded, usage) : null;
  const [cause, ...others] = listCauses(of, missed);
  if (!cause) return null;
  const isRecorded = usage !== null && recorded !== null && isCacheReported(recorded, usage);
  const { class: name, entryId, line, declaredReasons, detail, evidence } = cause;
  return {
    class: name,
    entryId,
    line,
    also: others.map((other) => other.class),
    declaredReasons,
    // The edits of another agent are its own: its files have no place for a reason.
    undeclared: !session.agent && isUndeclared(name, declaredReasons),
    divergence,
    volatile: divergence && findVolatileKind(divergence, now.prompt),
    detail,
    evidence,
    isFloor: missed !== null && of.isFloor(),
    between: of.between.map(({ id, line: at, role, type }) => {
      return { entryId: formatId(id), line: at, type: role ?? type ?? '' };
    }),
    recordedMiss: isRecorded ? missed !== null : null,
    rebilledTokens: isRecorded ? countUnreadTokens(recorded, usage) : null,
    rebilledTokensEstimated: isRecorded ? null : countChangedTokens(of, name),
    rebilledCost: null,
    rebilledCostListed: null,
  };
}

/** Whether a change lacks a required reason. Compactions and similar entries state their purpose themselves. */
export function isUndeclared(name: BreakClass, declaredReasons: readonly string[]): boolean {
  return declaredReasons.length === 0 && ['edit', 'system', 'tools', 'tool order', 'transform'].includes(name);
}

function listCauses(of: BreakContext, missed: number | null): readonly BreakCause[] {
  const proven = isDisproved(of, missed) ? [] : listProvenCauses(of);
  const isExplained = proven.some(({ class: name }) => name !== 'unexplained' && name !== 'model switch');
  const likely = missed === null ? [] : listLikelyCauses(of, proven, isExplained ? [] : of.notices());
  const causes = [...proven, ...likely].filter(
    ({ class: name }) => name !== 'unexplained' || !isChangeExplained(likely),
  );
  if (causes.length > 0) return causes;
  if (of.turnOff && (missed !== null || of.isPiMiss))
    return [{ ...buildCause('branch', of.turnOff), evidence: 'likely' }];
  if (missed === null) return [];
  const isUnchanged = [of.before, of.now].every(({ prompt }) => isPromptRecorded(prompt.preamble, of.session));
  return [
    { ...buildCause(isUnchanged ? 'provider miss' : of.isFloor() ? 'floor' : 'unexplained', null), evidence: 'none' },
  ];
}

/**
 * Whether the numbers of a request show that its tools and prompt are the same, though the file of another agent seems to
 * record others: such a file may name them after they were sent.
 */
function isDisproved({ session, divergence, hasReadMost }: BreakContext, missed: number | null): boolean {
  return session.agent !== undefined && divergence?.section !== 'messages' && hasReadMost && missed === null;
}

/** Whether causes tell why messages differ although no entry of the path changed them. */
function isChangeExplained(likely: readonly BreakCause[]): boolean {
  return likely.some(({ class: name, evidence }) => evidence === 'reported' || CHANGES_SENT.has(name));
}

/** The likely causes that change what is sent; the others leave it, and the provider reads less. */
const CHANGES_SENT: ReadonlySet<BreakClass> = new Set(['extension', 'agent', ...NOTICE_KINDS]);

/**
 * Whether a session, or a baseline, has the prompt and the tools: if not, these may have changed where the messages did
 * not. A session of Pi may have no tools, but another agent has some.
 */
export function isPromptRecorded({ tools, system }: Preamble, { agent }: Session): boolean {
  if (!agent) return tools.length + system.length > 0;
  return tools.length > 0 && system.length > 0 && agent.parts.tools !== 'approximate';
}

/** Estimated tokens of the previous request that a provider has to process again. */
function countChangedTokens({ before, now, divergence }: BreakContext, name: BreakClass): number {
  const common = name === 'model switch' ? 0 : (divergence?.prefixTokensEstimated ?? before.prompt.tokens);
  return Math.max(0, Math.min(before.prompt.tokens, now.prompt.tokens) - common);
}

function isCacheReported({ reportedCache }: EarlierPrompt, { cacheRead, cacheWrite }: PromptUsage): boolean {
  return reportedCache || cacheRead + cacheWrite > 0;
}

/** Whether an answer names its model: readers of other agents use `unknown` for one that is not recorded. */
export function isModelRecorded({ model }: RequestTarget): boolean {
  return model !== 'unknown';
}

/** The causes that the session itself proves: another model, or other bytes. */
function listProvenCauses(of: BreakContext): BreakCause[] {
  const { session, before, now, divergence, candidates } = of;
  const isSwitched =
    [before, now].every(({ target }) => isModelRecorded(target)) && !isSameTarget(before.target, now.target);
  const causes = isSwitched ? [buildCause('model switch', of.modelChange)] : [];
  if (divergence === null) return causes;
  const culprit = findCulprit(candidates, divergence);
  if (culprit) {
    const name = findBreakClass(session, culprit, before.prompt.preamble);
    return [...causes, { ...buildCause(name, culprit.head), declaredReasons: [...culprit.reasons] }];
  }
  return isSwitched ? causes : [buildCause('unexplained', null)];
}

/** The likely causes of a recorded miss: what is recorded beside the content, and what the provider reports. */
function listLikelyCauses(
  of: BreakContext,
  proven: readonly BreakCause[],
  notices: readonly RequestNotice[],
): readonly BreakCause[] {
  const { before, now, isExpired, levelChange, changedRecord } = of;
  const isFirstImage = before.prompt.images === 0 && now.prompt.images > 0;
  const recorded = [
    ...(changedRecord ? [buildCause('extension', changedRecord)] : []),
    ...(isExpired ? [{ ...buildCause('ttl', null), detail: of.lifetime }] : []),
    ...(levelChange ? [buildCause('thinking level', levelChange)] : []),
    ...(isFirstImage ? [{ ...buildCause('image', null), entryId: now.prompt.firstImage }] : []),
    ...listAgentCauses(of),
  ].map((cause): BreakCause => ({ ...cause, evidence: 'likely' }));
  const noticed = notices.map(({ kind, entryId, line, text }): BreakCause => ({
    ...buildCause(kind, null),
    entryId,
    line,
    detail: text === '' ? null : text,
    evidence: 'likely',
  }));
  const named = BREAK_CLASSES_BY_REASON.get(of.reportedReason ?? '') ?? [];
  const isNamed = ({ class: name }: BreakCause): boolean => named.includes(name);
  const [own] = [...proven, ...recorded, ...noticed].some(isNamed) ? [] : named;
  const reported: BreakCause[] = own === undefined ? [] : [{ ...buildCause(own, null), evidence: 'reported' }];
  return [...recorded, ...noticed.filter(isNamed), ...reported, ...noticed.filter((cause) => !isNamed(cause))];
}

/** Another agent of the same program has a prompt and tools of its own. */
function listAgentCauses({ before, now, between }: BreakContext): readonly BreakCause[] {
  if (before.agent === null || now.agent === null || before.agent === now.agent) return [];
  const asked = between.findLast(({ role }) => role === 'user') ?? null;
  return [{ ...buildCause('agent', asked), detail: `${now.agent} answers, ${before.agent} before` }];
}

function buildCause(name: BreakClass, head: Head | null): BreakCause {
  return {
    class: name,
    entryId: formatId(head?.id),
    line: head?.line ?? null,
    declaredReasons: [],
    detail: null,
    evidence: name === 'unexplained' ? 'none' : 'proven',
  };
}

/** The kind of volatile text at which the tools or the system prompt of two requests diverge. */
function findVolatileKind({ section, index, offset }: Divergence, { preamble }: Prompt): string | null {
  const text = section === 'messages' ? undefined : preamble[section][index]?.text;
  if (text === undefined) return null;
  const start = Math.max(0, offset - AROUND);
  const around = findVolatileMatches(text.slice(start, offset + AROUND));
  return around.find((found) => found.start + start <= offset && offset < found.end + start)?.kind ?? null;
}

/** Longer than any volatile text. */
const AROUND = 400;

/** An entry between two requests that may have changed content that was already sent. */
export interface RewritingEntry {
  readonly head: Head;
  readonly reasons: readonly string[];
  /** The place where the prompt after it diverges from the previous request; null if it does not. */
  readonly divergence: Divergence | null;
  readonly preamble: Preamble;
}

/** The declared reasons of the entry that was replayed last. */
export function listDeclaredReasons(head: Head, replay: Replay): readonly string[] {
  if (head.type !== 'context_transform') return [];
  return replay.transforms.at(-1)?.invalidateCacheReasons ?? [];
}

/** The entry that made the prompt differ at a place: the last one before which it did not differ there. */
export function findCulprit(candidates: readonly RewritingEntry[], place: Divergence): RewritingEntry | null {
  const depth = measureDepth(place);
  let culprit: RewritingEntry | null = null;
  let before = Infinity;
  for (const candidate of candidates) {
    const after = measureDepth(candidate.divergence);
    if (after <= depth && before > depth) culprit = candidate;
    before = after;
  }
  return culprit;
}

/** Declared reasons of entries that did not change content that was already sent. */
export function listIdleDeclarations(candidates: readonly RewritingEntry[]): CacheSummary['declaredForNothing'] {
  let before = Infinity;
  return candidates.flatMap(({ head, reasons, divergence }) => {
    const after = measureDepth(divergence);
    const isIdle = after >= before && reasons.length > 0;
    before = after;
    return isIdle ? [{ entryId: formatId(head.id), line: head.line, reasons: [...reasons] }] : [];
  });
}

/** The class of the break that an entry causes. `before` is the preamble of the previous request. */
export function findBreakClass(
  session: Session,
  { head, divergence, preamble }: RewritingEntry,
  before: Preamble,
): BreakClass {
  switch (head.type) {
    case 'compaction':
      return 'compaction';
    case 'reset_boundary':
      return 'clear';
    case 'context_transform':
      return readTransformerName(session.entry(head)) === 'compaction' ? 'compaction' : 'transform';
    case 'context_edit':
      return 'edit';
    default:
      if (divergence?.section !== 'tools') return 'system';
      return hasSameToolSet(before, preamble) ? 'tool order' : 'tools';
  }
}

/** The steps of 128 tokens by which the cache may be behind, for a provider or an API that caches by best effort. */
const BEST_EFFORT: readonly { readonly of: RegExp; readonly tokens: number }[] = [{ of: /openai/, tokens: 32 * 128 }];

/** Whether a request read a little less than it could because the cache of its machine is behind. */
export function isCacheBehind({ provider, api }: RequestTarget, before: EarlierPrompt, usage: PromptUsage): boolean {
  const behind = BEST_EFFORT.find(({ of }) => of.test(provider ?? '') || of.test(api ?? ''));
  return behind !== undefined && countUnreadTokens(before, usage) <= behind.tokens;
}

/**
 * Whether a request read more than half of the previous one, without the tokens of tools and system prompt: other
 * sessions share these, so they are read even after the messages have expired.
 */
export function isMostlyRead(
  before: Pick<EarlierPrompt, 'prompt'>,
  { promptTokens, cacheRead }: PromptUsage,
  shared: number,
): boolean {
  return 2 * cacheRead > Math.min(before.prompt, promptTokens) + shared;
}
