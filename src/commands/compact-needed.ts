import type { CompactionSettings } from '../compact/settings.js';
import { type Trigger, triggerAt } from '../compact/triggers.js';
import { CtxError } from '../errors.js';
import type { OpenSession } from '../open.js';
import { line } from '../render/doc.js';
import type { CompactionCheck } from '../schemas.js';
import type { Head } from '../session/head.js';
import { count } from '../views/format.js';
import type { Outcome } from './define.js';

interface Asked {
  readonly path: readonly Head[];
  readonly contextWindow: number | null;
  readonly settings: CompactionSettings;
}

/** Whether Pi would compact now, and in words why not. */
export type Need = { readonly needed: boolean; readonly why: string } & Pick<Trigger, 'tokens' | 'threshold'>;

/** Throws a CtxError (usage) where that depends on the context window and nobody has said how large it is. */
export function neededNow(session: OpenSession, { path, contextWindow, settings }: Asked): Need {
  if (!settings.enabled)
    return { needed: false, why: "Pi's settings switch automatic compaction off", tokens: null, threshold: null };
  const { reason, tokens, threshold } = triggerAt(session, {
    path,
    contextWindow,
    settings,
    readPatch: session.readPatch,
  });
  if (reason !== null) return { needed: true, why: reason, tokens, threshold };
  if (tokens === null)
    return { needed: false, why: 'no request was answered since the last compaction', tokens, threshold };
  if (threshold !== null)
    return { needed: false, why: `${count(tokens)} of ${count(threshold)} tokens are used`, tokens, threshold };
  throw new CtxError('usage', 'the session does not say how much the model can take', {
    where: session.file,
    hint: 'say it with --limit, as in --limit 200k',
  });
}

/** A sentence, and the same for programs. */
export function nothingToDo(session: OpenSession, { why, tokens, threshold }: Need): Outcome {
  const data: CompactionCheck = {
    schema: 'ctx/compaction-check',
    schemaVersion: 1,
    file: session.file,
    needed: false,
    why,
    tokens,
    threshold,
  };
  const doc = [line(`nothing to do: ${why}`)];
  return {
    kind: 'report',
    report: { data, doc: () => doc },
    problems: session.problems,
    file: session.file,
  };
}
