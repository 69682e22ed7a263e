import { countMissedTokens, type EarlierPrompt, toEarlierPrompt } from '#analysis/cache/earlier-prompt.js';
import { type PromptUsage, readPromptUsage } from '#analysis/cache/recorded-answer.js';
import { usesAnthropicApi } from '#analysis/check/provider/answer-model.js';
import { asCount, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { omitUndefined } from '#base/omit-undefined.js';
import { readHourCacheWrite, readUsageNumbers } from '#context/size/recorded-usage.js';
import type { DeclaredContent } from '../define.js';
import type { PromptCacheChange, PromptCacheInfo, PromptCacheObservation } from '../runtime-context.js';

const MINUTE = 60_000;
/** Milliseconds that Anthropic keeps a cache of each kind. */
const LIFETIMES = { short: 5 * MINUTE, long: 60 * MINUTE } as const;

type Retention = keyof typeof LIFETIMES;

interface Call extends DeclaredContent {
  readonly model: string;
  /** The lifetime of the cached tokens that the call wrote or read; null: it is not recorded. */
  readonly retention: Retention | null;
  /** The API by which the answer was streamed; null: it is not recorded. */
  readonly api: string | null;
  /** Pi records it only for calls that fell back to another one; null: it is not recorded. */
  readonly transport: Transport | null;
}

interface Transport {
  readonly configured: string;
  readonly used: string;
}

type CacheTimes = Pick<PromptCacheInfo, 'lastCacheTouchAt' | 'retention' | 'expiresAt'>;

/** Cache telemetry from the recorded usage, answer by answer. */
export class CacheTelemetry {
  private before: EarlierPrompt | null = null;
  /** The tokens that the previous call read from the cache. */
  private beforeRead: number | null = null;
  private call: Call | null = null;
  private info: PromptCacheInfo | null = null;

  /** null: nothing was recorded so far. */
  get now(): PromptCacheInfo | null {
    return this.info && structuredClone(this.info);
  }

  /** Takes in a recorded answer to a request with this prompt and these tools. */
  take(message: JsonObject, declared: DeclaredContent, time: number): void {
    const usage = isObject(message.usage) ? message.usage : null;
    const prompt = readPromptUsage(usage);
    if (usage === null || prompt === null) return;
    const call = this.buildCall(message, usage, declared);
    const { input, output, cacheRead, cacheWrite, total } = readUsageNumbers(usage);
    this.info = {
      lastCallUsage: { input, output, cacheRead, cacheWrite, total },
      observation: this.observe(call, prompt),
      ...this.findTimes(call, prompt, time),
    };
    this.before = toEarlierPrompt(prompt, this.before);
    this.beforeRead = prompt.cacheRead;
    this.call = call;
  }

  private buildCall(message: JsonObject, usage: JsonObject, declared: DeclaredContent): Call {
    const model = `${asString(message.provider) ?? '?'}/${asString(message.model) ?? '?'}`;
    const retention = this.findRetention(message, usage, model);
    return { ...declared, model, retention, api: asString(message.api), transport: readTransport(message) };
  }

  /** Compares a call with the previous one. */
  private observe(call: Call, prompt: PromptUsage): PromptCacheObservation {
    const changes = listChanges(this.call ?? call, call);
    return omitUndefined({
      broke: countMissedTokens(this.before, prompt) !== null,
      previousCacheRead: this.beforeRead ?? undefined,
      cacheRead: prompt.cacheRead,
      changes: changes.length === 0 ? undefined : changes,
    });
  }

  /** Finds when the cache was last used, and when it expires. `time`: of the call, NaN if it is not recorded. */
  private findTimes({ retention }: Call, prompt: PromptUsage, time: number): CacheTimes {
    const usesCache = prompt.cacheRead + prompt.cacheWrite > 0;
    const touched = usesCache && Number.isFinite(time) ? time : this.info?.lastCacheTouchAt;
    return omitUndefined({
      lastCacheTouchAt: touched,
      retention: retention ?? undefined,
      expiresAt: retention === null || touched === undefined ? undefined : touched + LIFETIMES[retention],
    });
  }

  /** A call that only reads touches what the calls before it wrote; the cache of another model is another cache. */
  private findRetention(message: JsonObject, usage: JsonObject, model: string): Retention | null {
    if ((readHourCacheWrite(usage) ?? 0) > 0) return 'long';
    const before = this.call?.model === model ? this.call.retention : null;
    const { provider, api, model: id } = message;
    // Anthropic's API reports what is written for an hour: all else is written for five minutes.
    const isShort = (asCount(usage.cacheWrite) ?? 0) > 0 && usesAnthropicApi({ provider, api, model: id });
    return isShort ? 'short' : before;
  }
}

/** A change of the transport is one within a call. */
function listChanges(one: Call, other: Call): readonly PromptCacheChange[] {
  const changes: PromptCacheChange[] = [];
  if (one.model !== other.model) changes.push({ code: 'model', detail: `${one.model} → ${other.model}` });
  if (one.retention !== null && other.retention !== null && one.retention !== other.retention)
    changes.push({ code: 'cacheRetention', detail: `${one.retention} → ${other.retention}` });
  if (one.model === other.model && one.api !== null && other.api !== null && one.api !== other.api)
    changes.push({ code: 'streamStrategy', detail: `${one.api} → ${other.api}` });
  const before = one.system.compiled;
  const after = other.system.compiled;
  if (before !== after) changes.push({ code: 'systemPrompt', detail: `${before.length} → ${after.length} characters` });
  if (one.tools !== other.tools && JSON.stringify(one.tools) !== JSON.stringify(other.tools))
    changes.push({ code: 'tools', detail: `${one.tools.length} → ${other.tools.length} tools` });
  const { transport } = other;
  if (transport !== null && transport.configured !== transport.used)
    changes.push({ code: 'transport', detail: `${transport.configured} → ${transport.used}` });
  return changes;
}

/** The transport of a call, from the diagnostics that Pi records when the configured one failed. */
function readTransport(message: JsonObject): Transport | null {
  const failure = listObjects(message.diagnostics).findLast(({ type }) => type === 'provider_transport_failure');
  const details = isObject(failure?.details) ? failure.details : {};
  const configured = asString(details.configuredTransport);
  const used = asString(details.fallbackTransport);
  return configured === null || used === null ? null : { configured, used };
}
