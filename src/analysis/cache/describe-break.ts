import { formatDuration } from '#base/duration.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import { formatBreakClass, isUnexplained } from './break-classes.js';
import type { CacheBreak, CacheRequest, Divergence, ProviderReason } from './document.js';

/** Describes a cache break in one sentence. */
export function describeBreak(request: CacheRequest, broken: CacheBreak): string {
  const { providerReason: reason, providerEdits: edits, providerDrops: drops } = request;
  const parts = [describeCause(request, broken), ...describeFloor(request, broken), ...describeBetween(broken)];
  if (reason) parts.push(`the provider reports ${describeProviderReason(reason)}`);
  if (edits) parts.push(`the provider cleared ${formatCount(edits.tokens)} tokens`);
  if (drops) parts.push(`the provider dropped ${pluralize(drops.thinkingBlocks, 'thinking block')}`);
  return parts.join('; ');
}

/** `messages_changed (53,002 tokens)`. */
export function describeProviderReason({ type, missedTokens }: ProviderReason): string {
  return missedTokens === null ? type : `${type} (${pluralize(missedTokens, 'token')})`;
}

/** A miss of the messages alone. Where the time explains it, it needs no words. */
function describeFloor({ recorded }: CacheRequest, { class: name, isFloor }: CacheBreak): readonly string[] {
  if (!isFloor || name === 'ttl' || isUnexplained({ class: name })) return [];
  return [`only tools and prompt were read (${formatCount(recorded?.cacheRead ?? 0)} tokens)`];
}

/** The entries between the requests, where nothing explains the break. */
function describeBetween(broken: CacheBreak): readonly string[] {
  if (!isUnexplained(broken) || broken.between.length === 0) return [];
  const entries = broken.between
    .slice(-MOST_NAMED)
    .map(({ entryId, line, type }) => `${entryId ?? `line ${line}`} ${type}`);
  const more = broken.between.length > MOST_NAMED ? '… ' : '';
  return [`between: ${more}${entries.join(', ')}`];
}

const MOST_NAMED = 4;

function describeCause(request: CacheRequest, broken: CacheBreak): string {
  const others = broken.also.length > 0 ? `; also ${broken.also.map(formatBreakClass).join(', ')}` : '';
  switch (broken.class) {
    case 'floor':
      return describeReadFloor(request);
    case 'provider miss':
      return `same prefix, ${describeRead(request.recorded, request.idleMilliseconds)}${broken.isFloor ? ', which is tools and prompt' : ''}`;
    case 'unexplained':
      return broken.divergence
        ? `${describePlace(broken.divergence)} differs`
        : `same messages, ${describeRead(request.recorded, request.idleMilliseconds)}`;
    case 'branch':
      return `${broken.entryId ?? ''} starts a branch; Pi compares with the other branch${formatMiss(request.piMiss)}`;
    default:
      return `${describeTrigger(request, broken)}${others}`;
  }
}

function describeReadFloor({ recorded, idleMilliseconds: idle }: CacheRequest): string {
  const pause = idle === null ? '' : ` after ${formatDuration(idle / 1000)}`;
  return `only tools and prompt were read (${formatCount(recorded?.cacheRead ?? 0)} tokens, as by other requests)${pause}`;
}

function formatMiss(miss: CacheRequest['piMiss']): string {
  return miss === null ? '' : ` (${formatCount(miss.tokens)} tokens)`;
}

/** The change at which the prompt differs, or after which the provider read less. */
function describeTrigger({ idleMilliseconds, model }: CacheRequest, broken: CacheBreak): string {
  const { divergence, detail, line } = broken;
  const by = broken.entryId ?? '';
  const byEntry = by === '' ? '' : `${by}: `;
  const at = by === '' && line !== null ? `line ${line}: ` : byEntry;
  switch (broken.class) {
    case 'model switch':
      return `${byEntry}now ${model}`;
    case 'ttl':
      return `${describePause(idleMilliseconds ?? 0)} since the previous request (lifetime ${detail ?? 'unknown'})`;
    case 'thinking level':
      return `${by} changed it`;
    case 'image':
      return `${by} adds the first image`;
    case 'extension':
      return `${by} records that an extension changed the request`;
    case 'agent':
      return `${byEntry}${detail ?? ''}`;
    case 'resume':
      return `${at}the session was resumed (${detail ?? ''})`;
    case 'hook context':
      return `${at}a resume leaves out what ${detail ?? 'a hook'} added`;
    case 'tool server':
      return `${at}${detail ?? 'a tool server was connected'}`;
    case 'task notification':
      return `${at}a task notification began the turn${detail === null ? '' : ` (${shorten(detail)})`}`;
    case 'messages':
      return `messages that were sent before have changed${divergence ? `: ${describePlace(divergence)}` : ''}`;
    default:
      return describeDeclared(broken);
  }
}

/** A change of the content at a place, with the reasons that its entry declares for it. */
function describeDeclared({
  class: kind,
  divergence,
  declaredReasons,
  undeclared,
  volatile,
  entryId,
}: CacheBreak): string {
  const by = entryId ?? '';
  const from = divergence && kind === 'tool order' ? { ...divergence, offset: 0 } : divergence;
  const place = from ? `${by === '' ? '' : `${by}: `}${describePlace(from)}` : by;
  const kindOfText = volatile === null ? '' : ` (a ${volatile})`;
  if (declaredReasons.length > 0) return `${place}${kindOfText}, declared: ${shorten(declaredReasons.join('; '))}`;
  return `${place}${kindOfText}${undeclared ? ', declares no reason' : ''}`;
}

/** A pause, exact where a rounded one could equal the lifetime of a cache: five minutes or an hour. */
function describePause(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds >= 60 && seconds < 600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return seconds >= 3600 && seconds < 7200 ? `1 h ${Math.floor(seconds / 60) - 60} min` : formatDuration(seconds);
}

/** The tokens that a request without a recorded change read; of a full miss also the pause before it. */
function describeRead(recorded: CacheRequest['recorded'], idle: number | null): string {
  const read = recorded?.cacheRead ?? 0;
  return read > 0 || idle === null ? `${formatCount(read)} read` : `0 read after ${formatDuration(idle / 1000)}`;
}

function describePlace({ section, index, name, block, offset }: Divergence): string {
  const at = offset === 0 ? '' : ` from character ${formatCount(offset + 1)} on`;
  if (section === 'tools') return `tool ${index + 1} (${name})${at}`;
  if (section === 'system') return `system part ${name}${at}`;
  return `message ${index + 1} (${name})${block === null ? '' : `, block ${block + 1}`}${at}`;
}
