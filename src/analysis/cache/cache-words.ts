import { count, lengthOf } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import type { CacheBreak, CacheRequest, Divergence } from './document.js';

/** Describes a cache break in one sentence. */
export function whatHappened({ idleMilliseconds, piMiss, model, recorded }: CacheRequest, broken: CacheBreak): string {
  const { divergence, declaredReasons: declared, undeclared, also, entryId } = broken;
  const by = entryId === null ? '' : entryId;
  const said =
    declared.length > 0 ? `, declared: ${shortened(declared.join('; '))}` : undeclared ? ', declares no reason' : '';
  const others = also.length > 0 ? `; also ${also.join(', ')}` : '';
  const place = divergence
    ? `${by === '' ? '' : `${by}: `}${placeText(broken.class === 'tool order' ? { ...divergence, offset: 0 } : divergence)}`
    : by;
  switch (broken.class) {
    case 'model switch':
      return `${by === '' ? '' : `${by}: `}now ${model}${others}`;
    case 'ttl':
      return `${lengthOf((idleMilliseconds ?? 0) / 1000)} since the previous request${others}`;
    case 'thinking level':
      return `${by} changed it${others}`;
    case 'image':
      return `${by} adds the first image${others}`;
    case 'extension':
      return `${by} records that an extension changed the request${others}`;
    case 'branch':
      return `${by} starts a branch; Pi compares with the other branch${piMiss === null ? '' : ` (${count(piMiss.tokens)} tokens)`}`;
    case 'unexplained':
      return divergence ? `${placeText(divergence)} differs` : unexplained(recorded, idleMilliseconds);
    default:
      return `${place}${broken.volatile === null ? '' : ` (a ${broken.volatile})`}${said}${others}`;
  }
}

/** Describes an unexplained break: whether the beginning of the prompt was still in the cache. */
function unexplained(recorded: CacheRequest['recorded'], idle: number | null): string {
  if (recorded && recorded.cacheRead > 0) return `${count(recorded.cacheRead)} tokens were read from the cache`;
  return `full miss${idle === null ? '' : ` after a pause of ${lengthOf(idle / 1000)}`}: the whole prompt was re-sent`;
}

/** Describes the first place that differs. */
function placeText({ section, index, name, block, offset }: Divergence): string {
  const at = offset === 0 ? '' : ` from character ${count(offset + 1)} on`;
  if (section === 'tools') return `tool ${index + 1} (${name})${at}`;
  if (section === 'system') return `system part ${name}${at}`;
  return `message ${index + 1} (${name})${block === null ? '' : `, block ${block + 1}`}${at}`;
}
