import { findVolatileMatches } from '#context/request/volatile.js';
import { isSameTarget, type RequestTarget } from '#context/request/wire-messages.js';
import { NOTICE_KINDS } from '#session/agents/define.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { BREAK_CLASSES_BY_REASON, type BreakClass } from './break-classes.js';
import type { CacheBreak, Divergence } from './document.js';
import { countMissedTokens, countUnreadTokens, type EarlierPrompt, isCacheBehind } from './earlier-prompt.js';
import type { Preamble, Prompt } from './prompt.js';
import type { PromptUsage } from './recorded-answer.js';
import type { RequestComparison, RequestNotice } from './request-comparison.js';
import { findBreakClass, findCulprit } from './rewriting-entries.js';

type BreakCause = Pick<CacheBreak, 'class' | 'entryId' | 'line' | 'declaredReasons' | 'detail' | 'evidence'>;

/** The break at a request; null if nothing was lost and nothing changed. */
export function findBreak(compared: RequestComparison): CacheBreak | null {
  const { session, now, divergence, read } = compared;
  const missed = countMiss(compared);
  const [cause, ...others] = listCauses(compared, missed);
  if (!cause) return null;

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
    isFloor: missed !== null && read.isFloor(),
    between: compared.between.map(({ id, line: at, role, type }) => {
      return { entryId: formatId(id), line: at, type: role ?? type ?? '' };
    }),
    ...countRebilled(compared, name, missed),
  };
}

/** The tokens that the provider should have read and did not; null if it read them, or reports nothing. */
function countMiss({ now, read }: RequestComparison): number | null {
  const { earlier, usage, hasReadMost } = read;
  if (usage === null || earlier === null) return null;
  if (hasReadMost && isCacheBehind(now.target, earlier, usage)) return null;
  return countMissedTokens(earlier, usage);
}

type RebilledTokens = Pick<
  CacheBreak,
  'recordedMiss' | 'rebilledTokens' | 'rebilledTokensEstimated' | 'rebilledCost' | 'rebilledCostListed'
>;

/** The tokens that the provider processed again: its own numbers, else an estimate. Their costs are added later. */
function countRebilled(compared: RequestComparison, name: BreakClass, missed: number | null): RebilledTokens {
  const { earlier, usage } = compared.read;
  const costs = { rebilledCost: null, rebilledCostListed: null };
  if (usage !== null && earlier !== null && isCacheReported(earlier, usage)) {
    const rebilledTokens = countUnreadTokens(earlier, usage);
    return { recordedMiss: missed !== null, rebilledTokens, rebilledTokensEstimated: null, ...costs };
  }
  const rebilledTokensEstimated = countChangedTokens(compared, name);
  return { recordedMiss: null, rebilledTokens: null, rebilledTokensEstimated, ...costs };
}

function isCacheReported({ reportedCache }: EarlierPrompt, { cacheRead, cacheWrite }: PromptUsage): boolean {
  return reportedCache || cacheRead + cacheWrite > 0;
}

/** Estimated tokens of the previous request that a provider has to process again. */
function countChangedTokens({ before, now, divergence }: RequestComparison, name: BreakClass): number {
  const common = name === 'model switch' ? 0 : (divergence?.prefixTokensEstimated ?? before.prompt.tokens);
  return Math.max(0, Math.min(before.prompt.tokens, now.prompt.tokens) - common);
}

/** Whether a change lacks a required reason. Compactions and similar entries state their purpose themselves. */
export function isUndeclared(name: BreakClass, declaredReasons: readonly string[]): boolean {
  return declaredReasons.length === 0 && ['edit', 'system', 'tools', 'tool order', 'transform'].includes(name);
}

/**
 * The causes of a break, the one that counts first; none if there is no break. `missed`: the tokens that were not read.
 */
function listCauses(compared: RequestComparison, missed: number | null): readonly BreakCause[] {
  const proven = isDisproved(compared, missed) ? [] : listProvenCauses(compared);
  const likely = missed === null ? [] : listLikelyCauses(compared, proven);
  const causes = [...proven, ...likely];
  // Messages that differ for no reason need none once a likely cause changes what is sent.
  const explained = likely.some(changesSent) ? causes.filter((cause) => cause.class !== 'unexplained') : causes;
  if (explained.length > 0) return explained;

  const { turnOff, read } = compared;
  if (turnOff && (missed !== null || read.isPiMiss)) return [{ ...buildCause('branch', turnOff), evidence: 'likely' }];
  return missed === null ? [] : [buildUnknownCause(compared)];
}

/**
 * Whether the numbers of a request show that its tools and prompt are the same, though the file of another agent seems
 * to record others. Such a file may record them after they were sent.
 */
function isDisproved({ session, divergence, read }: RequestComparison, missed: number | null): boolean {
  return session.agent !== undefined && divergence?.section !== 'messages' && read.hasReadMost && missed === null;
}

/** The likely causes that change what is sent; the others leave it, and the provider reads less. */
const CHANGES_SENT: ReadonlySet<BreakClass> = new Set(['extension', 'agent', ...NOTICE_KINDS]);

/** Whether a cause tells why messages differ although no entry of the path changed them. */
function changesSent({ class: name, evidence }: BreakCause): boolean {
  return evidence === 'reported' || CHANGES_SENT.has(name);
}

/** A miss that nothing explains: the provider's own, if the session shows that the same was sent. */
function buildUnknownCause({ session, before, now, read }: RequestComparison): BreakCause {
  const isSameSent = [before, now].every(({ prompt }) => isPromptRecorded(prompt.preamble, session));
  if (isSameSent) return { ...buildCause('provider miss', null), evidence: 'none' };
  return { ...buildCause(read.isFloor() ? 'floor' : 'unexplained', null), evidence: 'none' };
}

/**
 * Whether a session, or a baseline, has the prompt and the tools: if not, these may have changed where the messages did
 * not. A session of Pi may have no tools, but another agent has some.
 */
export function isPromptRecorded({ tools, system }: Preamble, { agent }: Session): boolean {
  if (!agent) return tools.length + system.length > 0;
  return tools.length > 0 && system.length > 0 && agent.parts.tools !== 'approximate';
}

/** The causes that the session itself proves: another model, or other bytes. */
function listProvenCauses({ session, before, now, divergence, changes }: RequestComparison): readonly BreakCause[] {
  const isModelKnown = isModelRecorded(before.target) && isModelRecorded(now.target);
  const isSwitched = isModelKnown && !isSameTarget(before.target, now.target);
  const switches = isSwitched ? [buildCause('model switch', changes.model)] : [];
  if (divergence === null) return switches;

  const culprit = findCulprit(changes.rewriting, divergence);
  if (culprit) {
    const name = findBreakClass(session, culprit, before.prompt.preamble);
    return [...switches, { ...buildCause(name, culprit.head), declaredReasons: [...culprit.reasons] }];
  }
  return isSwitched ? switches : [buildCause('unexplained', null)];
}

/** Whether an answer names its model: readers of other agents use `unknown` for one that is not recorded. */
export function isModelRecorded({ model }: RequestTarget): boolean {
  return model !== 'unknown';
}

/**
 * Lists the likely causes of a recorded miss: records other than the content, and reports of the provider. The
 * circumstances that match the provider's reason come first.
 */
function listLikelyCauses(compared: RequestComparison, proven: readonly BreakCause[]): readonly BreakCause[] {
  const recorded = listRecordedCauses(compared);
  const isExplained = proven.some(({ class: name }) => name !== 'unexplained' && name !== 'model switch');
  const notices = isExplained ? [] : compared.notices().map(toNoticeCause);

  const reportedClasses = BREAK_CLASSES_BY_REASON.get(compared.read.reportedReason ?? '') ?? [];
  const isReported = (cause: BreakCause): boolean => reportedClasses.includes(cause.class);
  const [reportedClass] = reportedClasses;
  const isKnown = [...proven, ...recorded, ...notices].some(isReported);
  const reported: readonly BreakCause[] =
    reportedClass === undefined || isKnown ? [] : [{ ...buildCause(reportedClass, null), evidence: 'reported' }];

  const agreeing = notices.filter(isReported);
  const others = notices.filter((cause) => !isReported(cause));
  return [...recorded, ...agreeing, ...reported, ...others];
}

function listRecordedCauses(compared: RequestComparison): readonly BreakCause[] {
  const { before, now, changes, read } = compared;
  const causes: BreakCause[] = [];
  if (changes.byExtension) causes.push(buildCause('extension', changes.byExtension));
  if (read.isExpired) causes.push({ ...buildCause('ttl', null), detail: read.lifetime });
  if (changes.level) causes.push(buildCause('thinking level', changes.level));
  const isFirstImage = before.prompt.images === 0 && now.prompt.images > 0;
  if (isFirstImage) causes.push({ ...buildCause('image', null), entryId: now.prompt.firstImage });
  const otherAgent = findOtherAgent(compared);
  if (otherAgent) causes.push(otherAgent);
  return causes.map((cause) => ({ ...cause, evidence: 'likely' }));
}

/** Another agent of the same program has a prompt and tools of its own. */
function findOtherAgent({ before, now, between }: RequestComparison): BreakCause | null {
  if (before.agent === null || now.agent === null || before.agent === now.agent) return null;
  const prompt = between.findLast(({ role }) => role === 'user') ?? null;
  return { ...buildCause('agent', prompt), detail: `${now.agent} answers, ${before.agent} before` };
}

function toNoticeCause({ kind, entryId, line, text }: RequestNotice): BreakCause {
  return { ...buildCause(kind, null), entryId, line, detail: text === '' ? null : text, evidence: 'likely' };
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
