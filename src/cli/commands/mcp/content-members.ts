// A member that is in no list is left out, so that a new one shows nothing of a session before it has its place here.

/** Members whose strings are shown if they are names: one word, and not a sentence. */
export const NAME_MEMBERS = listWords(`
  agent also
  by
  category change class coldBecause contextTokensSource cwd
  day
  editId effect entryId evidence
  fate firstKeptEntryId from
  id
  key kind
  last latch leafId limit limitSource
  mention method mode model modelId modified
  name
  op ops options origin
  parentId parentSession part place provider
  reason reasoning retention retentionBasis role rule
  schema section sessionId source stopReason strategies system
  targetId thinkingLevel time timestamp timezone to toolName tools toolsWithoutImplementation transformerName type
  unproven
  version volatile
  waitsFor
  zone
`);

/** Members with objects, lists and numbers that ctx computes, or that describe an entry. */
export const STRUCTURE_MEMBERS = listWords(`
  after agreed aliveShare all answerCutOff at away
  before beforeTokens begins between block boundary break breaks byClass
  cache cached cacheRead cacheWrite cacheWrite1h cacheWrite5m calls categories changes characters classes
  compactions compared compiled composition content contents contextTokens cooldownTurns cost costCached
  costListed costParts costUncached counts current
  declaredFactor declaredForNothing depth divergence dollars durationMs
  edited edits enabled end entries entry ephemeralMessages error estimated expectedCacheReadEstimated
  expiredTokens
  factor facts
  gate groups
  hiddenBy hollow
  idleMilliseconds idleSeconds index input inputRule isActive isCached isCounted isCostListed isDerived isError
  isFloor isMoved isOtherModel isPreambleUnknown isSubagent isVisible item items
  kept
  left leftOut length line lineInText
  maxTokens message messages meta minimum missedTokens misses missing mostThinkingBlocks mostTokens
  naiveMiss naiveMisses named next notItemised notRecorded number
  offset output outputReserve
  packet partly parts path pi piMiss piMisses prefix prefixTokensEstimated problems promptTokens
  promptTokensEstimated providerDrops providerEdits providerReason providerReasons
  quoted
  rebilledCost rebilledCostListed rebilledTokens rebilledTokensEstimated recorded recordedMiss remove removed
  replacement reported request requestIndex requests requestsLeftOut requestsRecorded reserve results
  retentionMinutes rows
  same schemaVersion session sessions settings shadowed shownTokensEstimated size sources start subagents
  summaries summarised systemParts
  temperature textStart thinkingBlocks thinkingTurns threshold tokens tokensBefore tokensEstimated
  tokensPerRequest toolCalls toolUses total totalTokens transforms turn turnIndex
  unaccounted unbilled uncached undeclared unseen usage usageRecorded usageRecordedByModel uses
  values
  window
`);

/** Members with texts of a session; only their length is shown. */
export const TEXT_MEMBERS = listWords(`
  arguments
  command customType
  data declaredReasons description detail details diagnostics display
  invalidateCacheReasons
  label
  parameters preview
  reasons
  snippet summary
  text thinking title
`);

/** The words of a text, which are separated by spaces and line breaks. */
function listWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
