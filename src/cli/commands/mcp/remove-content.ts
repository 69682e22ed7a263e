import { isObject } from '#base/json.js';

/** Members whose strings are shown if they are names: one word, and not a sentence. */
const NAMES = new Set(
  (
    'schema id sessionId entryId parentId leafId targetId firstKeptEntryId by version agent model provider modelId ' +
    'modified time timestamp type kind class role name origin place part section fate mention rule from to reason ' +
    'method source contextTokensSource limitSource mode zone strategies latch waitsFor effect op ops also volatile ' +
    'toolName tools stopReason thinkingLevel reasoning cwd retention retentionBasis evidence coldBecause category unproven change last system limit options parentSession editId ' +
    'transformerName toolsWithoutImplementation'
  ).split(' '),
);

/** Members with objects, lists and numbers that ctx computes, or that describe an entry. */
const STRUCTURE = new Set(
  (
    'schemaVersion session at meta messages cached uncached parts compiled tokens size usage recorded estimated factor ' +
    'error current total line depth offset length entries number isCached tokensEstimated turnIndex requestIndex ' +
    'transforms edits compactions shadowed tokensBefore ephemeralMessages sources entry message content contextTokens ' +
    'cost isActive lineInText textStart start end isVisible hiddenBy before after same prefix index settings item ' +
    'isMoved values request unbilled promptTokensEstimated prefixTokensEstimated expectedCacheReadEstimated promptTokens ' +
    'input output cacheRead cacheWrite piMiss naiveMiss idleMilliseconds break undeclared divergence block recordedMiss ' +
    'rebilledTokens rebilledTokensEstimated rebilledCost providerReason missedTokens minimum retentionMinutes requests ' +
    'expiredTokens cacheWrite5m cacheWrite1h between isFloor misses ' +
    'requestsRecorded breaks byClass piMisses naiveMisses providerReasons reported compared agreed declaredForNothing ' +
    'boundary inputRule counts kept summarised edited unaccounted classes left quoted named partly missing facts packet ' +
    'path removed hollow changes characters ' +
    'summaries next begins away pi enabled reserve threshold gate cooldownTurns problems totalTokens durationMs ' +
    'replacement isError providerEdits toolUses thinkingTurns mostTokens providerDrops thinkingBlocks mostThinkingBlocks ' +
    'notItemised declaredFactor costListed rebilledCostListed temperature maxTokens turn ' +
    'unseen composition shownTokensEstimated beforeTokens isPreambleUnknown categories results systemParts ' +
    'isSubagent subagents isDerived cache idleSeconds aliveShare isOtherModel answerCutOff outputReserve window'
  ).split(' '),
);

/** Members with texts of a session; only their length is shown. */
const TEXTS = new Set(
  (
    'title label preview text arguments thinking summary description parameters declaredReasons reasons ' +
    'invalidateCacheReasons display detail details data customType command diagnostics'
  ).split(' '),
);

export const NAME = /^[\p{L}\p{N}_.:@/\\+~#()[\]-]{1,200}$/u;

/** How an agent records a part of its sessions. */
const PRESENCE: ReadonlySet<string> = new Set(['recorded', 'approximate', 'missing']);

/** The answer without texts of the session: they become `{ characters }`, and members that ctx does not know are left out. */
export function removeContent(value: unknown, key = 'result'): unknown {
  if (typeof value === 'string') return isName(value, key) ? value : toSize(value);
  if (Array.isArray(value)) return value.map((item) => removeContent(item, key));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (TEXTS.has(name)) return [[name, toSize(member)] as const];
    const isKnown = NAMES.has(name) || STRUCTURE.has(name) || name === 'file';
    return isKnown ? [[name, removeContent(member, name)] as const] : [];
  });
  return Object.fromEntries(members);
}

function isName(value: string, key: string): boolean {
  return key === 'file' || PRESENCE.has(value) || (NAMES.has(key) && NAME.test(value));
}

function toSize(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.length === 0) return value;
  return { characters: typeof value === 'string' ? value.length : JSON.stringify(value).length };
}
