import type { JsonObject } from '#base/json.js';
import { type EngineChange, engineChange } from '#engines/drive/engine-change.js';
import type { Head } from '#session/table/head.js';
import type { LiveBranch } from '../branch.js';
import type { EngineStart, FollowedEngine, Live } from '../define.js';
import type { PiContext } from '../pi.js';

/** The context engine of a running agent, which follows its branch. It is created again where the branch is another one. */
export class LiveEngine {
  private followed: { readonly branch: LiveBranch; readonly engine: FollowedEngine } | null = null;
  private hasFailed = false;

  constructor(
    private readonly live: Live,
    private readonly start: Pick<EngineStart, 'name' | 'set' | 'timeLimit'>,
  ) {}

  /** The id of the engine; null: it is not in charge. */
  get id(): string | null {
    return this.followed?.engine.name ?? null;
  }

  /** The engine's change of the next request. null: it failed, which one notice reports, and it is no longer asked. */
  async next(ctx: PiContext, branch: LiveBranch): Promise<EngineChange | null> {
    if (this.hasFailed) return null;
    try {
      const engine = await this.inCharge(ctx, branch);
      const { assembled } = await engine.next();
      return engineChange(branch.replay().content(), assembled, `engine ${engine.name}`);
    } catch (error) {
      this.hasFailed = true;
      await this.close();
      const why = error instanceof Error ? error.message : String(error);
      const text = `ctx: engine ${this.start.name}: ${why}; it is off until /reload`;
      this.live.notice(ctx, { cause: why, text, level: 'warning' });
      return null;
    }
  }

  async close(): Promise<void> {
    const { followed } = this;
    this.followed = null;
    await followed?.engine.close().catch(() => {});
  }

  private async inCharge(ctx: PiContext, branch: LiveBranch): Promise<FollowedEngine> {
    if (this.followed?.branch === branch) return this.followed.engine;
    await this.close();
    const limit = ctx.model?.contextWindow ?? null;
    const place = { cwd: ctx.cwd, isTrusted: ctx.isProjectTrusted() };
    const session = { ...branch.session, entry: copying(branch) };
    const engine = await this.live.followEngine({ ...this.start, ...place, limit, session, path: branch.path });
    this.followed = { branch, engine };
    return engine;
  }
}

/** Copies of the entries, since an engine's messages are frozen, and Pi's are not ours. */
function copying({ session }: LiveBranch): (head: Head) => JsonObject {
  const copies = new Map<number, JsonObject>();
  return (head) => {
    const known = copies.get(head.index);
    if (known) return known;
    const copy = structuredClone(session.entry(head));
    copies.set(head.index, copy);
    return copy;
  };
}
