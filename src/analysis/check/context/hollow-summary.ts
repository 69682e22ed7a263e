import { asText } from '#base/json.js';
import { findSummaryText } from '#context/replay/convert.js';
import { buildHeadKey, buildPlaceKey } from '#session/heads/head.js';
import { isCompaction } from '#session/tree/compaction.js';
import { readMessageText } from '../../facts/text.js';
import { findHollow, HOLLOW_TEXTS } from '../../loss/hollow.js';
import { defineRule, type Hit, type PathEntry } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

function compactWith(summary: string) {
  return [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { summary, firstKeptEntryId: 'a1', tokensBefore: 900 })];
}

export default defineRule({
  name: 'hollow-summary',
  severity: 'warning',
  summary: 'The summary of a compaction says nothing of what it replaced',
  help:
    'A summary that is empty, that is a placeholder such as `Summary unavailable`, or that repeats the summary before ' +
    'word for word replaces messages, and the model no longer knows what they said. A client writes one where its ' +
    'summariser failed, or compacts again and again. `ctx loss` lists what was removed; `ctx revert` takes back the ' +
    'compaction of a session of Pi, and `ctx compact` writes another one.',
  example: { fires: compactWith('Summary unavailable'), silent: compactWith('The user asks what is here: a README.') },
  looksAt: 'path',
  watch(_options, session) {
    let before: string | null = null;
    return {
      step(step): readonly Hit[] {
        const { head } = step;
        if (!isCompaction(session, head)) return [];
        const summary = readSummary(step);
        const hollow = findHollow(summary, before);
        before = summary;
        return hollow ? [{ message: HOLLOW_TEXTS[hollow], at: head }] : [];
      },
      end: () => [],
    };
  },
});

/** The summary that a compaction stores, or the messages that a transform of that name puts there. */
function readSummary({ head, entry: stored, change }: PathEntry): string {
  if (stored.type === 'compaction') return asText(stored.summary ?? '');
  const origins = change?.origins() ?? [];
  const sent = change?.after.messages.cached ?? [];
  const added = sent.filter((_, at) => {
    const origin = origins[at];
    return origin !== undefined && buildPlaceKey(origin) === buildHeadKey(head);
  });
  // Where an answer is the summary, as in opencode, the transform only removes the messages before it.
  return (added.length > 0 ? added : sent)
    .map((message) => findSummaryText(message) ?? readMessageText(message))
    .join('\n\n');
}
