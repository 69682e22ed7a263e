import { asBefore, type Before, missedTokens, promptUsage } from '../cache/recorded.js';
import { usageNumbers } from '../context/tokens.js';
import { asString, isObject, type JsonObject } from '../session/values.js';
import type { PromptCacheChange, PromptCacheInfo, PromptCacheObservation, PromptCacheUsage } from './contract.js';
import type { Declared } from './define.js';

const MINUTE = 60_000;
/** What providers call long is an hour. */
const LONG = 60;

interface Call extends Declared {
  readonly model: string;
}

/** What a provider's usage says of its cache, answer by answer. */
export class CacheTelemetry {
  private before: Before | null = null;
  private beforeRead: number | undefined;
  private call: Call | null = null;
  private info: PromptCacheInfo | null = null;

  /** `retention`: minutes that the cache is kept. */
  constructor(private readonly retention: number) {}

  /** null: nothing was recorded so far. */
  get now(): PromptCacheInfo | null {
    return this.info && structuredClone(this.info);
  }

  /** Takes in a recorded answer to a request with this prompt and these tools. */
  take(message: JsonObject, declared: Declared, time: number): void {
    const usage = isObject(message['usage']) ? message['usage'] : null;
    const prompt = promptUsage(usage);
    if (usage === null || prompt === null) return;
    const model = `${asString(message['provider']) ?? '?'}/${asString(message['model']) ?? '?'}`;
    const call: Call = { ...declared, model };
    const changes = this.call ? changesBetween(this.call, call) : [];
    const observation: PromptCacheObservation = {
      broke: missedTokens(this.before, prompt) !== null,
      ...(this.beforeRead === undefined ? {} : { previousCacheRead: this.beforeRead }),
      cacheRead: prompt.cacheRead,
      ...(changes.length === 0 ? {} : { changes }),
    };
    const isLasting = Number.isFinite(time) && prompt.cacheRead + prompt.cacheWrite > 0;
    const touched = isLasting ? time : this.info?.lastCacheTouchAt;
    this.info = {
      retention: this.retention >= LONG ? 'long' : 'short',
      lastCallUsage: usageOf(usage),
      observation,
      ...(touched === undefined ? {} : { lastCacheTouchAt: touched, expiresAt: touched + this.retention * MINUTE }),
    };
    this.before = asBefore(prompt, this.before);
    this.beforeRead = prompt.cacheRead;
    this.call = call;
  }
}

function usageOf(usage: JsonObject): PromptCacheUsage {
  const { input, output, cacheRead, cacheWrite, total } = usageNumbers(usage);
  return { input, output, cacheRead, cacheWrite, total };
}

function changesBetween(one: Call, other: Call): readonly PromptCacheChange[] {
  const changes: PromptCacheChange[] = [];
  if (one.model !== other.model) changes.push({ code: 'model', detail: `${one.model} → ${other.model}` });
  const [before, after] = [one.system.compiled, other.system.compiled];
  if (before !== after) changes.push({ code: 'systemPrompt', detail: `${before.length} → ${after.length} characters` });
  if (one.tools !== other.tools && JSON.stringify(one.tools) !== JSON.stringify(other.tools))
    changes.push({ code: 'tools', detail: `${one.tools.length} → ${other.tools.length} tools` });
  return changes;
}
