import { CtxError } from '#base/errors.js';
import { formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import type { LiveBranch } from './branch.js';
import type { Live, LivePart } from './define.js';
import type { PiContext } from './pi.js';
import { findModelWindow } from './policy.js';

const KEY = 'ctx';

/** The status line: `context 61 % · cached 94 % · last break: tools`, and what the last compaction lost. */
const statusLine: LivePart = {
  name: 'status line',
  install(pi, live) {
    const line = new StatusLine(live);
    const show = (_event: unknown, ctx: PiContext): Promise<void> => updateLine(line, ctx);
    pi.on('session_start', (event, ctx) => {
      line.begin();
      return show(event, ctx);
    });
    pi.on('turn_end', show);
    pi.on('agent_settled', show);
    pi.on('session_tree', show);
    pi.on('session_compact', show);
    pi.on('model_select', show);
  },
};

export default statusLine;

/** A broken transform has a notice of its own, with the next request. */
async function updateLine(line: StatusLine, ctx: PiContext): Promise<void> {
  try {
    await line.update(ctx);
  } catch (error) {
    if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
    ctx.ui.setStatus(KEY, 'context unknown: a transform is broken');
  }
}

/** The parts of the line that need more than the newest entries, and are computed only for something new. */
class StatusLine {
  private branch: LiveBranch | null = null;
  private cached: CachedTokens = NO_TOKENS;
  private lastBreak: string | null = null;
  /** The newest compaction; undefined before it was looked for. */
  private compaction: string | null | undefined;
  private lost = '';

  constructor(private readonly live: Live) {}

  begin(): void {
    this.branch = null;
    this.compaction = undefined;
    this.lost = '';
  }

  async update(ctx: PiContext): Promise<void> {
    const { live } = this;
    if (!ctx.hasUI || !(await live.settings(ctx)).statusLine) return;
    const branch = await live.branch(ctx);
    if (branch.path.length === 0) return;
    const figures = await import('./figures.js');
    if (this.branch !== branch) {
      this.branch = branch;
      this.cached = NO_TOKENS;
      this.lastBreak = null;
    }
    const before = this.cached;
    this.cached = figures.addCachedTokens(branch, before);
    if (this.cached.misses > before.misses) this.lastBreak = figures.describeLastBreak(branch);
    this.noteCompaction(figures.findNewestCompaction(branch), (id) => figures.countLostInstructions(branch, id));
    const { limit } = await live.policy(ctx);
    const scale = { window: findModelWindow(ctx), limit };
    ctx.ui.setStatus(KEY, this.format(figures.countLiveContext(branch), scale));
  }

  /** Notes the losses of a compaction. Only one that happens while Pi runs is news. */
  private noteCompaction(compaction: string | null, countLost: (id: string) => number): void {
    if (this.compaction !== compaction && this.compaction !== undefined && compaction !== null) {
      const lost = countLost(compaction);
      this.lost = lost === 0 ? '' : `${pluralize(lost, 'instruction')}: /ctx loss`;
    }
    this.compaction = compaction;
  }

  private format(tokens: number, scale: Scale): string {
    const { read, sent } = this.cached;
    const parts = [`context ${formatContext(tokens, scale)}`];
    if (read > 0) parts.push(`cached ${addSpace(formatPercent(read, sent))}`);
    if (this.lastBreak !== null) parts.push(`last break: ${this.lastBreak}`);
    if (this.lost !== '') parts.push(this.lost);
    return parts.join(' · ');
  }
}

/** The sizes that the context is compared with. */
interface Scale {
  /** The window of Pi's model, in tokens; null if it is unknown. */
  readonly window: number | null;
  /** The limit of the configuration. */
  readonly limit: number | null;
}

/** The share of the window, as in Pi's footer, and of a limit that is another one. */
function formatContext(tokens: number, { window, limit }: Scale): string {
  const whole = window ?? limit;
  if (whole === null) return `${formatShortCount(tokens)} tokens`;
  const share = addSpace(formatPercent(tokens, whole));
  if (limit === null || limit === whole) return share;
  return `${share} (${addSpace(formatPercent(tokens, limit))} of the limit ${formatShortCount(limit)})`;
}

function addSpace(share: string): string {
  return share.replace('%', ' %');
}

/** Tokens that the providers of a branch counted for prompts, up to a place. */
export interface CachedTokens {
  /** The entries that were counted. */
  readonly next: number;
  readonly read: number;
  readonly sent: number;
  /** Requests that read less from the cache than the one before them had sent. */
  readonly misses: number;
  /** The prompt of the newest one. */
  readonly prompt: number;
}

const NO_TOKENS: CachedTokens = { next: 0, read: 0, sent: 0, misses: 0, prompt: 0 };
