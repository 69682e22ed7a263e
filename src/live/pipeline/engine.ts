import { isObject, type JsonObject } from '#base/json.js';
import { listRejections } from '#lab/drive/breaches/clauses.js';
import type { AssembledContent } from '#lab/drive/driven-request.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { LiveBranch } from '../branch.js';
import type { EngineStart, FollowedEngine, Live } from '../define.js';
import type { PiContext } from '../pi.js';
import type { ChangedMessages } from './changed-messages.js';
import { type EngineChange, findEngineChange } from './engine-change.js';

/**
 * The context engine of a running agent, which follows its branch. It is created again where the branch is another one.
 */
export class LiveEngine {
  private followedBranch: { readonly branch: LiveBranch; readonly engine: FollowedEngine } | null = null;
  private hasFailed = false;
  private isClosed = false;

  constructor(
    private readonly live: Live,
    private readonly start: Pick<EngineStart, 'name' | 'set' | 'timeLimit'>,
  ) {}

  /** The id of the engine; null: it is not in charge. */
  get id(): string | null {
    return this.followedBranch?.engine.name ?? null;
  }

  /** The engine's change of the next request. null: it failed, which one notice reports, and it is no longer asked. */
  async buildChange(ctx: PiContext, branch: LiveBranch, changed: ChangedMessages): Promise<EngineChange | null> {
    if (this.hasFailed) return null;
    try {
      const engine = await this.followBranch(ctx, branch, changed);
      const { assembled, breaches } = await engine.next(this.buildPastLimit(ctx));
      const [refusal] = listRejections(breaches);
      if (refusal !== undefined) throw new Error(`a provider would reject its request: ${refusal}`);
      const shown = dropEntries(assembled, listLeftOutIds(branch, changed));
      const change = findEngineChange(branch.replay().content(), shown, `engine ${engine.name}`);
      await this.noticeGrowth(ctx, branch, change);
      return change;
    } catch (error) {
      if (error instanceof Stopped) return null;
      this.hasFailed = true;
      await this.close();
      const why = error instanceof Error ? error.message : String(error);
      const text = `ctx: engine ${this.start.name}: ${why}; it is off until /reload`;
      this.live.notice(ctx, { cause: why, text, level: 'warning' });
      return null;
    }
  }

  /** Ends the engine for good, also while it is asked for the requests of the past. */
  async end(): Promise<void> {
    this.isClosed = true;
    await this.close();
  }

  /** Builds the function to call before each past request: it reports that they take long, and ends that. */
  private buildPastLimit(ctx: PiContext): () => void {
    const begun = performance.now();
    const { name, timeLimit } = this.start;
    return () => {
      if (this.isClosed || ctx.signal?.aborted) throw new Stopped();
      const time = performance.now() - begun;
      if (time > PATIENCE) {
        const text = `ctx: engine ${name} is asked for the past requests of the session, which takes a while`;
        this.live.notice(ctx, { cause: 'past of the engine', text, level: 'info' });
      }
      const most = PAST_CALLS * timeLimit;
      if (time > most) throw new Error(`the past requests took longer than ${most / 1000} s`);
    };
  }

  /** Reports that the first request of an engine is larger than that of Pi, whose compactions it does not see. */
  private async noticeGrowth(ctx: PiContext, branch: LiveBranch, { patch, messages }: EngineChange): Promise<void> {
    if (patch.length === 0 || !branch.path.some(({ type }) => type === 'compaction')) return;
    const { sumMessageTokens } = await import('#context/size/tokens.js');
    const { cached } = branch.replay().content().messages;
    const before = sumMessageTokens(cached);
    const after = sumMessageTokens(messages.cached);
    if (after <= before * 1.1) return;
    const sizes = `~${before.toLocaleString('en')} → ~${after.toLocaleString('en')} tokens`;
    const text = `ctx: engine ${this.start.name} does not see the session's compactions, so its messages are larger: ${sizes}`;
    this.live.notice(ctx, { cause: 'growth', text, level: 'warning' });
  }

  private async close(): Promise<void> {
    const { followedBranch: followed } = this;
    this.followedBranch = null;
    await followed?.engine.close().catch(() => {});
  }

  /** The engine that follows a branch. The engine of another branch is closed. */
  private async followBranch(ctx: PiContext, branch: LiveBranch, changed: ChangedMessages): Promise<FollowedEngine> {
    if (this.followedBranch?.branch === branch) return this.followedBranch.engine;
    await this.close();
    const limit = ctx.model?.contextWindow ?? null;
    const place = { cwd: ctx.cwd, isTrusted: ctx.isProjectTrusted() };
    const session = { ...branch.session, entry: createEntryReader(branch, changed) };
    const engine = await this.live.followEngine({ ...this.start, ...place, limit, session, path: branch.path });
    this.followedBranch = { branch, engine };
    return engine;
  }
}

/** Milliseconds after which the user hears that past requests take long. */
const PATIENCE = 2000;

/** The number of calls in whose time the past has to be over. */
const PAST_CALLS = 6;

/** The user or Pi ended the request. */
class Stopped extends Error {}

/**
 * Reads copies of the entries as message hooks have left them, since an engine's messages are frozen, and Pi's are not
 * ours. A message that a hook left out is empty.
 */
function createEntryReader(branch: LiveBranch, changed: ChangedMessages): (head: Head) => JsonObject {
  const copies = new Map<number, JsonObject>();
  return (head) => {
    const earlier = copies.get(head.index);
    if (earlier) return earlier;
    const entry = changed.entry(head, branch.session.entry(head));
    const isLeftOut = branch.droppedHeads.some(({ index }) => index === head.index);
    const copy = structuredClone(isLeftOut ? toEmptied(entry) : entry);
    copies.set(head.index, copy);
    return copy;
  };
}

function toEmptied(entry: JsonObject): JsonObject {
  return isObject(entry.message) ? { ...entry, message: { ...entry.message, content: [] } } : { ...entry, content: [] };
}

/** The ids of the entries whose messages hooks left out. */
function listLeftOutIds({ droppedHeads }: LiveBranch, { sent }: ChangedMessages): ReadonlySet<string | null> {
  const dropped = droppedHeads.map(({ id }) => formatId(id));
  const unsent = [...sent].flatMap(([id, message]) => (message === null ? [id] : []));
  return new Set([...dropped, ...unsent]);
}

function dropEntries(assembled: AssembledContent, ids: ReadonlySet<string | null>): AssembledContent {
  const isKept = (at: number): boolean => !ids.has(assembled.sources[at] ?? null);
  return {
    ...assembled,
    messages: assembled.messages.filter((_, at) => isKept(at)),
    sources: assembled.sources.filter((_, at) => isKept(at)),
  };
}
