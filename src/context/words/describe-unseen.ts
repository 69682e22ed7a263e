import { formatCount } from '#base/numbers.js';
import type { UnseenMessages } from '../size/prompt-watch.js';

/** States that the model did not see all that is shown, and how the recorded prompts tell. */
export function describeUnseen(unseen: UnseenMessages): string {
  return `the model did not see all of these messages: ${describeEvidence(unseen)}`;
}

function describeEvidence({ reason, promptTokens, shownTokensEstimated, beforeTokens }: UnseenMessages): string {
  const counted = `${formatCount(promptTokens)} tokens`;
  switch (reason) {
    case 'smaller':
      return `the provider counted ${counted} for a prompt whose texts have at least ~${formatCount(shownTokensEstimated)}`;
    case 'fell':
      return `the prompt fell from ${formatCount(beforeTokens ?? 0)} to ${counted}, and nothing in the file removed messages`;
    case 'constant':
      return `the provider counted ${counted} for this prompt and for the one before it, though messages were added`;
  }
}
