import { CtxError } from '#base/errors.js';

const AGAIN = 'create the plan again';

/** The reasons why a plan is not written, each with a hint. */
const REASONS = {
  changed: ['the session has changed since the plan was created; nothing was written', AGAIN],
  full: [
    'no space is left on the disk; nothing was written',
    'free some space, or write a copy with --output NEW.jsonl on another disk',
  ],
  interfered: [
    'another program is writing to the session; nothing was written',
    `wait until it has finished, then ${AGAIN}`,
  ],
  mispredicted: [
    'the session with these entries differs from the plan; nothing was written',
    `${AGAIN}; if the error persists, report a bug in ctx`,
  ],
  replaced: ['another program replaced the file; the new file is unchanged', AGAIN],
} as const;

export function buildRefusal(reason: keyof typeof REASONS, file: string): CtxError {
  const [what, hint] = REASONS[reason];
  return new CtxError('refused', what, { where: file, hint });
}
