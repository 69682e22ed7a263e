import type { SystemPart } from '../replay/content.js';
import type { LabelledText } from './kinds.js';
import { splitListing } from './listing.js';
import { splitBefore } from './split-text.js';

/** The pieces of a part of the system prompt: Pi puts memory files and skills into it. */
export function labelSystemPart({ name, text }: SystemPart): readonly LabelledText[] {
  if (name === 'project_context')
    return splitBefore(text, INSTRUCTIONS, ([, path = '']) => ({ kind: 'memory files', name: path }), {
      kind: 'memory files',
      name: null,
    });
  if (name === 'skills') return splitListing({ kind: 'skills', name: null, text });
  return [{ kind: 'prompt', name, text }];
}

const INSTRUCTIONS = /<project_instructions path="([^"]{1,1000})">/g;
