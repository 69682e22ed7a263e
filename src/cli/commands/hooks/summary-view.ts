import { formatCount, pluralize } from '#base/numbers.js';
import type { HookSummary } from '#lab/hooks/document.js';
import { type Block, type Doc, line, span } from '#ui/doc/doc.js';
import { renderFact } from './fact-row.js';

/** The totals of a run. */
export function renderHookSummary(summary: HookSummary): Doc {
  const { requests, transforms, persistedBytes, loggedBytes, sessionBytes, newTokens, messages, notes } = summary;
  const { seen, replaced, dropped } = messages;
  const { withHooks, withoutHooks } = newTokens;
  const troubles = listTroubles(summary).map((what) => span(`, ${what}`, 'error'));
  const blocks: Block[] = [line(span(pluralize(requests, 'request'), 'strong'), ...troubles)];
  if (transforms > 0) {
    const share = sessionBytes === 0 ? '' : `, ${(persistedBytes / sessionBytes).toFixed(2)} times the session`;
    const bytes = pluralize(persistedBytes, 'byte');
    blocks.push(renderFact('file', `${pluralize(transforms, 'transform')}: ${bytes}${share}`));
  }
  if (loggedBytes > 0) {
    const bytes = pluralize(loggedBytes, 'byte');
    blocks.push(renderFact('log', `${bytes} of messages for single requests`));
  }
  if (seen > 0) {
    const fates = `${formatCount(replaced)} replaced, ${formatCount(dropped)} left out`;
    blocks.push(renderFact('messages', `${pluralize(seen, 'message')}, ${fates}`));
  }
  if (withHooks !== withoutHooks) {
    const uncached = `~${pluralize(withHooks, 'token')} uncached in all`;
    blocks.push(renderFact('cache', `${uncached}; without hooks ~${formatCount(withoutHooks)}`));
  }
  for (const note of notes) blocks.push(line(span('note', 'warning'), `: ${note}`));
  return blocks;
}

function listTroubles({ failed, failedAfter, refused }: HookSummary): readonly string[] {
  const counts = [
    [failed, 'kept from being sent by a hook'],
    [failedAfter, 'answered before a turn_end hook failed'],
    [refused, 'that a provider would reject'],
  ] as const;
  return counts.flatMap(([number, what]) => (number === 0 ? [] : [`${formatCount(number)} ${what}`]));
}
