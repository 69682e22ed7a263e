import { CtxError } from '#base/errors.js';
import { count, plural } from '#base/words.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { type Trigger, triggerAt } from '#change/compact/triggers.js';
import type { JsonOf } from '#cli/schemas.js';
import type { OpenSession } from '#context/open.js';
import { windowAt } from '#context/size/size.js';
import { type ContextWindow, isKnown } from '#context/size/window.js';
import type { Head } from '#session/table/head.js';
import { type Block, line, span } from '#ui/doc/doc.js';
import { type Outcome, reported } from '../define.js';
import { dueAt, type PolicyInForce } from '../prune/policy.js';
import { SUPPLY_WINDOW, unknownWindow } from '../window.js';

interface NeedQuery {
  readonly path: readonly Head[];
  readonly inForce: PolicyInForce;
  readonly maxOutput: number | null;
  readonly settings: CompactionSettings;
}

/** Whether a compaction is due, the reason, and Pi's figures. */
export type Need = { readonly needed: boolean; readonly why: string } & Pick<Trigger, 'tokens' | 'threshold' | 'cutAt'>;

/**
 * Whether the policy asks for a compaction now, or Pi would compact. Throws a CtxError (usage) if that depends on the
 * context window and its size is unknown.
 */
export function neededNow(session: OpenSession, { inForce, ...query }: NeedQuery): Need {
  const window = windowAt(session, query.path, inForce.window);
  const byPi = neededByPi(session, { ...query, window });
  if (byPi.needed || !isKnown(window)) return byPi;
  const { request, why } = dueAt(session, query.path, { ...inForce, window });
  return { ...byPi, needed: request === 'compact', why: `${byPi.why}; ${why}` };
}

type PiQuery = Omit<NeedQuery, 'inForce'> & { readonly window: ContextWindow };

function neededByPi(session: OpenSession, { settings, window, ...asked }: PiQuery): Need {
  if (!settings.enabled) return { ...NOT_NEEDED, why: "Pi's settings switch automatic compaction off" };
  const { readPatch } = session;
  const trigger = triggerAt(session, { ...asked, contextWindow: window.tokens, settings, readPatch });
  const { reason, tokens, threshold, cutAt } = trigger;
  if (reason !== null) return { needed: true, why: reason, tokens, threshold, cutAt };
  const notNeeded = { needed: false, tokens, threshold, cutAt };
  if (tokens === null) return { ...notNeeded, why: 'no request was answered since the last compaction' };
  if (threshold !== null) return { ...notNeeded, why: `${count(tokens)} of ${count(threshold)} tokens are used` };
  throw new CtxError('usage', unknownWindow(window.model), { where: session.file, hint: SUPPLY_WINDOW });
}

/** A compaction that is not due, without figures. */
export const NOT_NEEDED = { needed: false, tokens: null, threshold: null, cutAt: null } as const;

/** A sentence, and the same for programs. The exit code is 1: nothing was due. */
export function nothingToDo(session: OpenSession, { why, tokens, threshold, cutAt }: Need): Outcome {
  const data: JsonOf<'compaction-check'> = {
    schema: 'ctx/compaction-check',
    schemaVersion: 1,
    file: session.file,
    needed: false,
    why,
    tokens,
    threshold,
    cutOffAt: cutAt,
  };
  const doc = [line(`nothing to do: ${why}`), ...(cutAt === null ? [] : unknownCut(cutAt))];
  return reported({ data, doc: () => doc }, session, 1);
}

/** Pi looks up how much the model can write. */
function unknownCut(output: number): readonly Block[] {
  return [
    line(span('note', 'warning'), `: the last answer was cut off after ${plural(output, 'token')}`),
    line(span('note', 'warning'), ': Pi compacts if the model can write more: say how much with --max-output N'),
  ];
}
