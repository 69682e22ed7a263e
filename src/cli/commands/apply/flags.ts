import type { CommandInput } from '../define.js';
import { textFlag, toggleFlag } from '../flags.js';
import * as shared from '../shared-flags.js';

/** Flags about the transform that a patch becomes; a plan already contains them. */
export const PATCH_FLAGS = ['at', 'name', 'title', 'message', 'ephemeral'] as const;

export const applyFlags = {
  at: { ...shared.at, excludes: ['[rev]'] },
  name: textFlag('NAME', 'the name of the transform (default: ctx-apply)'),
  title: textFlag('TEXT', 'a one-line title for readers'),
  message: { ...textFlag('TEXT', 'the reason, for readers'), short: 'm' },
  ephemeral: toggleFlag('log messages for the next request only, as an ephemeral entry'),
  ...shared.copyingFlags,
};

export type ApplyInput = CommandInput<typeof applyFlags>;
