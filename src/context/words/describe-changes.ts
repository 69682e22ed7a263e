import type { ContextEnvelope } from '../replay/envelope.js';

/** Describes the messages that a compaction keeps. */
export function describeKept(entryId: string | null, firstKeptEntryId: string | null): string {
  const keepsNothing = firstKeptEntryId === entryId || firstKeptEntryId === null;
  return keepsNothing ? 'keeps no messages' : `keeps from ${firstKeptEntryId}`;
}

/** Describes a transform by its title and the reasons for invalidating the cache. */
export function describeTransform({
  transformerName,
  ops,
  invalidateCacheReasons,
  display,
}: Pick<
  ContextEnvelope['meta']['transforms'][number],
  'transformerName' | 'ops' | 'invalidateCacheReasons' | 'display'
>): string {
  const what = display?.summary ?? display?.title ?? ops.join(', ');
  const reasons = invalidateCacheReasons.length === 0 ? '' : ` (${invalidateCacheReasons.join('; ')})`;
  return `${transformerName}: ${what}${reasons}`;
}

/** Describes the effect of an edit on its target. */
export function describeEdit(targetId: string, isOmitted: boolean): string {
  return isOmitted ? `omits ${targetId}` : `replaces the content of ${targetId}`;
}
