import { formatDuration } from '#base/duration.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import { isUnexplained } from './break-classes.js';
import type { CacheBreak, CacheRequest, Divergence } from './document.js';

/** Describes a cache break in one sentence. */
export function describeBreak(request: CacheRequest, broken: CacheBreak): string {
  const { providerReason: reason, providerEdits: edits, providerDrops: drops } = request;
  return [
    describeCause(request, broken),
    ...describeFloor(request, broken),
    ...describeBetween(broken),
    ...(reason ? [`the provider reports ${describeProviderReason(reason)}`] : []),
    ...(edits ? [`the provider cleared ${formatCount(edits.tokens)} tokens`] : []),
    ...(drops ? [`the provider dropped ${pluralize(drops.thinkingBlocks, 'thinking block')}`] : []),
  ].join('; ');
}

/** `messages_changed (53,002 tokens)`. */
export function describeProviderReason({ type, missedTokens }: NonNullable<CacheRequest['providerReason']>): string {
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
  const named = broken.between
    .slice(-MOST_NAMED)
    .map(({ entryId, line, type }) => `${entryId ?? `line ${line}`} ${type}`);
  const more = broken.between.length > MOST_NAMED ? '… ' : '';
  return [`between: ${more}${named.join(', ')}`];
}

const MOST_NAMED = 4;

function describeCause({ idleMilliseconds, piMiss, model, recorded }: CacheRequest, broken: CacheBreak): string {
  const { divergence, declaredReasons: declared, undeclared, also, entryId } = broken;
  const by = entryId === null ? '' : entryId;
  const said =
    declared.length > 0 ? `, declared: ${shorten(declared.join('; '))}` : undeclared ? ', declares no reason' : '';
  const others = also.length > 0 ? `; also ${also.join(', ')}` : '';
  const place = divergence
    ? `${by === '' ? '' : `${by}: `}${describePlace(broken.class === 'tool order' ? { ...divergence, offset: 0 } : divergence)}`
    : by;
  const at = by === '' && broken.line !== null ? `line ${broken.line}: ` : by === '' ? '' : `${by}: `;
  const pause = idleMilliseconds === null ? '' : ` after ${formatDuration(idleMilliseconds / 1000)}`;
  switch (broken.class) {
    case 'model switch':
      return `${by === '' ? '' : `${by}: `}now ${model}${others}`;
    case 'ttl':
      return `${describePause(idleMilliseconds ?? 0)} since the previous request (lifetime ${broken.detail ?? 'unknown'})${others}`;
    case 'thinking level':
      return `${by} changed it${others}`;
    case 'image':
      return `${by} adds the first image${others}`;
    case 'extension':
      return `${by} records that an extension changed the request${others}`;
    case 'branch':
      return `${by} starts a branch; Pi compares with the other branch${piMiss === null ? '' : ` (${formatCount(piMiss.tokens)} tokens)`}`;
    case 'agent':
      return `${by === '' ? '' : `${by}: `}${broken.detail ?? ''}${others}`;
    case 'resume':
      return `${at}the session was resumed (${broken.detail ?? ''})${others}`;
    case 'hook context':
      return `${at}a resume leaves out what ${broken.detail ?? 'a hook'} added${others}`;
    case 'tool server':
      return `${at}${broken.detail ?? 'a tool server was connected'}${others}`;
    case 'task notification':
      return `${at}a task notification began the turn${broken.detail === null ? '' : ` (${shorten(broken.detail)})`}${others}`;
    case 'messages':
      return `messages that were sent before have changed${divergence ? `: ${describePlace(divergence)}` : ''}${others}`;
    case 'floor':
      return `only tools and prompt were read (${formatCount(recorded?.cacheRead ?? 0)} tokens, as by other requests)${pause}`;
    case 'provider miss':
      return `same prefix, ${describeRead(recorded, idleMilliseconds)}${broken.isFloor ? ', which is tools and prompt' : ''}`;
    case 'unexplained':
      return divergence
        ? `${describePlace(divergence)} differs`
        : `same messages, ${describeRead(recorded, idleMilliseconds)}`;
    default:
      return `${place}${broken.volatile === null ? '' : ` (a ${broken.volatile})`}${said}${others}`;
  }
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
