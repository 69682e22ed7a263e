import { partedIds } from '#change/plan/pairs.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { quotedId } from '#session/table/head.js';
import { messagesGiven } from './stock-messages.js';

/** Why a provider would refuse what hooks have made of a request, a sentence each. What was wrong without them does not count. */
export function refusalsOf(without: EnvelopeContent, sent: EnvelopeContent): readonly string[] {
  const [before, after] = [messagesGiven(without.messages), messagesGiven(sent.messages)];
  if (before.length > 0 && after.length === 0) return ['it has no messages'];
  return partedIds(before, after).map((id) => `the tool call ${quotedId(id)} and its result are parted`);
}
