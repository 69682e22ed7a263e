import { CtxError } from '#base/errors.js';
import { locateToWrite } from '#cli/locate.js';
import { REASONS } from '#engines/hooks/define.js';
import { openToPlan } from '../apply/open.js';
import { WRITING_FLAGS } from '../apply/plan.js';
import { type CommandInput, defineCommand } from '../define.js';
import { choice, flagsWith, texts, toggle } from '../flags.js';
import { openNamed, revisionArgument, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { runHooks } from './run.js';

const HOOK_FLAGS = {
  hook: texts('FILE', 'a TypeScript or JavaScript module of hooks; repeat to chain hooks'),
  reason: choice('REASON', REASONS, "run the hooks only for this event (default: for all, in Pi's order)"),
  at: shared.at,
  'each-request': toggle('run every request of the path, each after what the hooks persisted before'),
  trace: toggle('print every step of a request, in the order of Pi, with its effect'),
  write: {
    ...toggle('append the persisted transforms and the uncached messages at the leaf'),
    excludes: ['each-request', 'at'],
  },
  'time-limit': shared.timeLimit,
  baseline: shared.baseline,
  limit: shared.limit,
  lenient: shared.lenient,
  ...flagsWith({ needs: ['write'] }, WRITING_FLAGS),
};

export type HooksInput = CommandInput<typeof HOOK_FLAGS>;

export default defineCommand({
  name: 'hooks',
  summary: 'Run context hooks on a recorded session',
  description:
    'Runs hook modules offline: replays each request, calls the hooks in the order of Pi, and reports their effect on the ' +
    'envelope, the prompt cache and the file. Hook code runs in its own process, and only when --hook names it. Nothing ' +
    'is written without --write.',
  args: [sessionFileArgument, revisionArgument],
  flags: HOOK_FLAGS,
  takesRedact: { excludes: ['write'] },
  examples: [
    'ctx hooks session.jsonl --hook ./hook.ts',
    'ctx hooks session.jsonl --hook ./hook.ts --each-request --json',
    "ctx hooks session.jsonl --hook ./hook.ts --at '@{request:2}' --trace",
    'ctx hooks session.jsonl --hook ./policy.ts --reason turn_end --write --dry-run',
  ],
  async run(input) {
    const { io, args, flags } = input;
    refuseNonsense(input);
    const [name] = args;
    if (flags.write) return runHooks(input, await openToPlan(input, locateToWrite(io, name), flags));
    return runHooks(input, await openNamed(input, name));
  },
});

function refuseNonsense({ flags }: HooksInput): void {
  if (flags.hook === undefined)
    throw new CtxError('usage', 'there is no hook to run', {
      hint: 'name it with --hook FILE: a session never causes code to run',
    });
  if (flags.write && flags.reason === 'message')
    throw new CtxError('usage', 'a message hook changes messages before they are written, and those of a session are', {
      hint: 'leave --write out; ctx prune and ctx apply change what is there',
    });
}
