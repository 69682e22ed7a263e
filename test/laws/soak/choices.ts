import { strategies } from '#change/prune/strategies/index.js';
import type { Random } from '../../support/random.js';

export type Action = 'append' | 'compact' | 'prune' | 'apply' | 'restore' | 'undo' | 'migrate' | 'extract';

const OFTEN: readonly Action[] = [
  'append',
  'append',
  'append',
  'compact',
  'prune',
  'prune',
  'apply',
  'apply',
  'undo',
  'undo',
  'restore',
];
const SELDOM: readonly Action[] = ['migrate', 'extract'];
export const ACTIONS: readonly Action[] = [...new Set([...OFTEN, ...SELDOM])];

const STRATEGIES = [...strategies.map(({ name }) => name), 'dedupe,compress'];

/** The file of the patch that `ctx apply` is given. */
export const PATCH = 'patch.json';

export function actionOf(random: Random): Action {
  return random.pick(random.chance(0.05) ? SELDOM : OFTEN);
}

/** The command line of a change of the context. */
export function changeOf(action: 'compact' | 'prune' | 'apply', session: string, random: Random): readonly string[] {
  const form = (...forms: readonly string[]): readonly string[] =>
    random.chance(0.5) ? [] : ['--as', random.pick(forms)];
  switch (action) {
    case 'compact': {
      const recent = random.pick(['0', '100', '1000']);
      return ['compact', session, '--yes', '--keep-recent', recent, ...form('both', 'context_transform', 'compaction')];
    }
    case 'prune': {
      const strategy = random.pick(STRATEGIES);
      return [
        'prune',
        session,
        '--yes',
        '--limit',
        '2000',
        '--strategy',
        strategy,
        ...form('stock', 'context_transform', 'context_edit'),
      ];
    }
    case 'apply':
      return ['apply', session, PATCH, '--yes'];
  }
}

/** Patch ops of a few kinds. */
export function patchOf(random: Random): readonly unknown[] {
  const declared = { scope: 'cached', invalidateCacheReason: 'soak' };
  const tools = [{ name: 'read', description: 'Reads', parameters: { type: 'object' } }];
  return random.pick([
    [
      {
        op: 'system_part_set',
        ...declared,
        partName: random.pick(['rules', 'mode']),
        text: `Mode ${random.int(0, 99)}.`,
      },
    ],
    [{ op: 'system_part_remove', ...declared, partName: 'mode' }],
    [{ op: 'tools_remove', ...declared, toolNames: ['grep'] }],
    [{ op: 'tools_replace', ...declared, tools }],
    [{ op: 'options_set', ...declared, reasoning: random.pick(['low', 'high', null]) }],
  ]);
}
