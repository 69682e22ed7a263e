import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { attempt } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import type { Live, LivePart } from '../define.js';
import type { BoundaryEvent, BoundaryResult, Pi, PiContext, PiEntry } from '../pi.js';
import { findLiveWindow } from '../policy.js';

/**
 * The gate: prunes or compacts at the ends of turns when the policy requires it. Off until the configuration turns it
 * on.
 */
const gate: LivePart = {
  name: 'gate',
  install(pi, live) {
    const keeper = new GateKeeper(pi, live);
    pi.on('turn_end', (event, ctx) => keeper.atBoundary(event, ctx));
    pi.on('agent_before_settle', (event, ctx) => keeper.atBoundary(event, ctx));
    // Pi has appended the entries by then.
    pi.on('turn_start', (_event, ctx) => keeper.report(ctx));
    pi.on('agent_settled', (_event, ctx) => keeper.report(ctx));
  },
};

export default gate;

/** A change that Pi is about to append. */
interface PendingChange {
  readonly words: string;
  readonly zone: string;
  readonly tokens: number;
  /** The leaf before it. */
  readonly leaf: string | null;
}

/** The gate of one session, and the change that it waits for. */
class GateKeeper {
  private pending: PendingChange | null = null;

  constructor(
    private readonly pi: Pi,
    private readonly live: Live,
  ) {}

  async atBoundary(event: BoundaryEvent, ctx: PiContext): Promise<BoundaryResult | undefined> {
    const { live, pi } = this;
    if ((await live.settings(ctx)).gate === 'off') return undefined;
    const inForce = await live.policy(ctx);
    // A proposal of another extension may change the context, and the plan would not know it.
    if (!isTurnEnd(event, inForce.policy.checkAt) || event.entries.some(({ type }) => type !== 'custom'))
      return undefined;
    const limit = findLiveWindow(ctx, inForce);
    if (limit === null) return this.noteInability(ctx, 'the context window is unknown: set "limit" in ctx.config.json');
    // Pi would fail at the boundary, and no later prompt would end.
    if (!canAppend(ctx)) return this.noteInability(ctx, 'the session file cannot be written');
    const branch = await live.branch(ctx);
    const { findGateTurn, planGate } = await import('./plan.js');
    const model = ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : null;
    const world = { policy: inForce.policy, limit, settings: pi.getSettings(), model };
    const turn = findGateTurn(branch, world);
    const plan = turn && planGate(branch, turn, world);
    if (!turn || !plan) return undefined;
    const leaf = ctx.sessionManager.getLeafId();
    this.pending = { words: plan.words, zone: turn.zone, tokens: turn.tokens.total, leaf };
    return { entries: [...event.entries, ...plan.drafts] };
  }

  /** One notice on what was done: what it saved, and how to undo it. */
  async report(ctx: PiContext): Promise<void> {
    const { pending: acted, live } = this;
    if (acted === null) return;
    const entries = ctx.sessionManager.getBranch();
    const done = findChangeAfter(entries, acted.leaf);
    if (!done) return;
    this.pending = null;
    const { countLiveContext } = await import('../figures.js');
    const after = countLiveContext(await live.branch(ctx));
    const text = `ctx: ${acted.words} in zone ${acted.zone}, ${formatCount(acted.tokens)} → ~${formatCount(after)} tokens\nundo: /ctx revert ${done.id}`;
    live.notice(ctx, { cause: `gate ${done.id}`, text, level: 'info' });
  }

  private noteInability(ctx: PiContext, why: string): undefined {
    const text = `ctx: the gate does nothing, as ${why}`;
    this.live.notice(ctx, { cause: `gate: ${why}`, text, level: 'warning' });
  }
}

/**
 * Whether a boundary is the end of a turn for a policy: each answer is, or only one after which the agent stops or goes on
 * with a new prompt.
 */
function isTurnEnd({ type, context }: BoundaryEvent, checkAt: 'turn' | 'answer'): boolean {
  if (checkAt === 'answer') return type === 'turn_end';
  return type === 'agent_before_settle' || context.pendingMessages.some(({ role }) => role === 'user');
}

/** The first entry of the change that Pi has appended after a leaf; undefined: none yet. */
function findChangeAfter(entries: readonly PiEntry[], leaf: string | null): PiEntry | undefined {
  const after: readonly (PiEntry & { readonly customType?: string })[] = entries.slice(
    entries.findIndex(({ id }) => id === leaf) + 1,
  );
  return after.find(({ type, customType }) => type === 'compaction' || customType === 'ctx.prune');
}

/** Whether Pi can append to the file of a session. One that Pi has not written yet may be. */
function canAppend({ sessionManager }: Pick<PiContext, 'sessionManager'>): boolean {
  const file = sessionManager.getSessionFile();
  if (file === undefined || !existsSync(file)) return true;
  return attempt(() => {
    accessSync(file, constants.W_OK);
    return statSync(file).isFile();
  }, false);
}
