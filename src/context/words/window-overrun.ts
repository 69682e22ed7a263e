import { formatCount } from '#base/numbers.js';
import type { WindowOverrun } from '../size/window.js';

/** States that more tokens are recorded than the context window has, and whose figure the window is. */
export function describeWindowOverrun({ tokens, window }: WindowOverrun): string {
  const size = formatCount(window.tokens);
  const more = `the recorded ${formatCount(tokens)} tokens of a request are more than the context window`;
  switch (window.source) {
    case 'recorded':
      return `${more} of ${size} that the session records`;
    case 'assumed':
      return `${more} of ${size} listed for ${window.model ?? 'the model'}: set the real one with --limit`;
    default:
      return `${more} of ${size} that you set`;
  }
}
