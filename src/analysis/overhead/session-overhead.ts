import type { Problem } from '#base/errors.js';
import { once } from '#base/memoize.js';
import { isInPeriod, type Period } from '#base/time.js';
import { toLenient } from '#context/lenient.js';
import type { PriceList } from '#context/models/prices.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { Replay } from '#context/replay/replay.js';
import { measureSentSize } from '#context/size/context-size.js';
import type { CountedSize } from '#context/size/counted-size.js';
import { GrowingContents } from '#context/size/growing-contents.js';
import { PathSizes } from '#context/size/path-sizes.js';
import type { FirstRecorded } from '#context/size/preamble-price.js';
import { readRecordedRequest, type RecordedRequest } from '#context/size/recorded-request.js';
import { isContextChange } from '#context/size/size-effect.js';
import type { MeasuredSize } from '#context/size/split-size.js';
import type { PathSource } from '#context/walk.js';
import { walk, type WalkStep } from '#context/walk.js';
import { messageOf } from '#session/entry.js';
import { answersRequest } from '#session/tree/turns.js';
import type { SharedEntries } from '../stats/shared-entries.js';
import { CARRIED_KINDS, type CarriedContent, CarriedContents } from './carried-contents.js';
import type { MissingPart } from './document.js';
import { priceOfPrompt, type PromptPrice, UNPRICED } from './prompt-price.js';
import { type Uses, UseTally } from './uses.js';

/** The overhead of the requests of one session: plain data, without a text of it. */
export interface SessionOverhead {
  readonly file: string;
  readonly agent: { readonly name: string; readonly title: string; readonly lacks: readonly MissingPart[] };
  readonly isSubagent: boolean;
  readonly prompts: PromptSums;
  readonly contents: readonly CarriedContent[];
  readonly uses: Uses;
  readonly diagnostics: readonly Problem[];
}

/** The sums over the prompts of a session, in tokens and dollars. */
interface PromptSums {
  requests: number;
  requestsRecorded: number;
  requestsUnpriced: number;
  tokens: number;
  cacheRead: number;
  notRecorded: number;
  /** Dollars of the tokens that are not recorded. */
  notRecordedCost: number;
  cost: number;
  isCostListed: boolean;
}

export interface OverheadOptions {
  /** The requests and uses that count; all without one. */
  readonly period: Period | null;
  readonly priceList: PriceList;
  /** Entries of sessions that were counted before. */
  readonly shared: SharedEntries;
}

/** Sums up what each request of a path carried, and what of it was used. */
export function collectOverhead(source: PathSource, options: OverheadOptions): SessionOverhead {
  const tally = new OverheadTally(source, options);
  return tally.collect();
}

/** The sums of what the requests of one path carried and used. */
class OverheadTally {
  private readonly uses = new UseTally();
  private readonly contents = new CarriedContents();
  private readonly prompts: PromptSums = {
    requests: 0,
    requestsRecorded: 0,
    requestsUnpriced: 0,
    tokens: 0,
    cacheRead: 0,
    notRecorded: 0,
    notRecordedCost: 0,
    cost: 0,
    isCostListed: false,
  };
  private first: FirstRecorded | null = null;
  private readonly sizes = once(() => new PathSizes(toLenient(this.source.session), this.source));

  constructor(
    private readonly source: PathSource,
    private readonly options: OverheadOptions,
  ) {}

  collect(): SessionOverhead {
    const { session, path, baseline } = this.source;
    const { steps, replay } = walk(toLenient(session), path, { baseline, messages: 'sizes' });
    const growing = new GrowingContents(replay);
    const { uses } = this;
    for (const step of steps) {
      const { head } = step;
      if (answersRequest(head)) this.takeRequest(step, growing);
      if (this.isCounted(step)) uses.take(step.entry);
      step.take();
      if (isContextChange(head)) growing.change(head, session.tree.heads.targetAt(head.index));
    }
    return {
      file: session.file,
      agent: this.describeAgent(replay),
      isSubagent: session.agent?.isSubagent ?? false,
      prompts: this.prompts,
      contents: this.contents.list(),
      uses: { tools: uses.tools, skills: uses.skills, agents: uses.agents },
      diagnostics: replay.diagnostics.filter(({ severity }) => severity !== 'note'),
    };
  }

  private describeAgent(replay: Replay): SessionOverhead['agent'] {
    const { agent } = this.source.session;
    const { system, tools } = replay.sources();
    const lacksTools = tools === 'unknown' || (tools !== 'supplied' && agent?.parts.tools === 'approximate');
    const lacks: MissingPart[] = [];
    if (system === 'unknown') lacks.push('system prompt');
    if (lacksTools) lacks.push('tool definitions');
    return { name: agent?.name ?? 'pi', title: agent?.title ?? 'Pi', lacks };
  }

  /** Whether an entry is of the period, and of no session that was counted before. */
  private isCounted({ head }: WalkStep): boolean {
    const { period, shared } = this.options;
    if (period && !isInPeriod(head.time, period)) return false;
    return !shared.has(this.source.session, head.index);
  }

  private takeRequest(step: WalkStep, growing: GrowingContents): void {
    const { replay, head } = step;
    const message = messageOf(step.entry);
    if (message?.role !== 'assistant') return;
    const recorded = readRecordedRequest(message);
    if (recorded) this.first ??= { ...replay.countParts(), request: recorded, isPreambleKnown: replay.isPreambleKnown };
    const isUnbilled = recorded === null && isFailedAnswer(message);
    if (isUnbilled || !this.isCounted(step)) return;

    const size = this.measure(step, recorded);
    const { parts, contents } = growing.measure(size, CARRIED_KINDS);
    const price = recorded ? priceOfPrompt(head, step.entry, this.options.priceList) : UNPRICED;
    this.addPrompt(size.tokens, parts.notItemised ?? 0, price);
    if (recorded) this.prompts.requestsRecorded += 1;
    this.contents.take(contents, price);
  }

  private measure({ index, replay }: WalkStep, recorded: RecordedRequest | null): MeasuredSize {
    const { first } = this;
    const size =
      recorded && first
        ? measureSentSize(recorded.prompt, first, replay)
        : estimateSent(this.sizes().after(index - 1), first, replay);
    // A prompt that was cut to a window does not tell what the prompt and the tools take.
    return replay.unseen?.isPreambleUnknown ? { ...size, notItemised: null } : size;
  }

  private addPrompt(tokens: number, notItemised: number, { read, rates }: PromptPrice): void {
    const { prompts } = this;
    prompts.requests += 1;
    prompts.tokens += tokens;
    prompts.cacheRead += Math.min(read, tokens);
    prompts.notRecorded += notItemised;
    if (rates === null) {
      prompts.requestsUnpriced += 1;
      return;
    }
    const priceOf = (all: number): number =>
      Math.min(read, all) * rates.cached + Math.max(0, all - read) * rates.uncached;
    prompts.cost += priceOf(tokens);
    // The prompt and the tools begin the request, so that they are the first to be read from the cache.
    prompts.notRecordedCost += priceOf(notItemised);
    prompts.isCostListed ||= rates.isListed;
  }
}

/** The size of a request that no provider counted. */
function estimateSent({ tokens, factor }: CountedSize, first: FirstRecorded | null, replay: Replay): MeasuredSize {
  return first ? measureSentSize(tokens, first, replay) : { tokens, notItemised: null, declaredFactor: factor };
}
