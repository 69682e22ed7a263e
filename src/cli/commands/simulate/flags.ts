import { engines as shelf } from '#lab/index.js';
import { cacheFlags } from '../cache/command.js';
import type { CommandInput } from '../define.js';
import { hostFlags } from '../engine/host-flags.js';
import { addFlagRule, numberFlag, positiveFlag, rareFlag, textsFlag, toggleFlag } from '../flags.js';
import { policyFlags } from '../prune/policy.js';
import * as shared from '../shared-flags.js';

export const SIMULATE_FLAGS = {
  engine: textsFlag(
    'NAME|FILE',
    `${shelf.map(({ name }) => name).join(', ')}, or your own module; repeatable, to compare (default: all built-in engines)`,
  ),
  full: {
    ...toggleFlag('list also every compaction, prune and re-read; in JSON, every request too'),
    excludes: ['format csv'],
  },
  budget: positiveFlag('TOKENS', 'the maximum size of a request (default: the context window)'),
  reserve: numberFlag('TOKENS', 'Pi compacts when fewer tokens are free (default: 16384)'),
  'keep-recent': numberFlag('TOKENS', 'tokens of recent messages to keep (default: 20000)'),
  ...cacheFlags,
  'recorded-misses': toggleFlag('repeat unexplained cache misses of the recording for every engine'),
  ...addFlagRule(
    { excludes: ['format json', 'format csv'] },
    {
      chart: toggleFlag('draw the context size per request (default: only on a terminal)'),
      each: rareFlag(toggleFlag('print each session, not only the total')),
    },
  ),
  ...hostFlags,
  'time-limit': shared.timeLimit,
  ...policyFlags,
};

export type SimulateCall = CommandInput<typeof SIMULATE_FLAGS>;
