import { countMissedTokens, type EarlierPrompt, toEarlierPrompt } from '#analysis/cache/earlier-prompt.js';
import { readPromptUsage } from '#analysis/cache/recorded-answer.js';
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
  /** The lifetime of the cached tokens that the call wrote or read; undefined: the session does not record it. */
  readonly retention: Retention | undefined;
  /** The API by which the answer was streamed; null: it is not recorded. */
  readonly api: string | null;
  /** Pi records it only for calls that fell back to another one; null: it is not recorded. */
  readonly transport: Transport | null;
}

interface Transport {
  readonly configured: string;
  readonly used: string;
}

/** Cache telemetry from the recorded usage, answer by answer. */
export class CacheTelemetry {
  private before: EarlierPrompt | null = null;
  private beforeRead: number | undefined;
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
    const model = `${asString(message.provider) ?? '?'}/${asString(message.model) ?? '?'}`;
    const retention = this.findRetention(message, usage, model);
    const api = asString(message.api);
    const transport = readTransport(message);
    const call: Call = { ...declared, model, retention, api, transport };
    const changes = listChanges(this.call ?? call, call);
    const observation: PromptCacheObservation = omitUndefined({
      broke: countMissedTokens(this.before, prompt) !== null,
      previousCacheRead: this.beforeRead,
      cacheRead: prompt.cacheRead,
      changes: changes.length === 0 ? undefined : changes,
    });
    const isLasting = Number.isFinite(time) && prompt.cacheRead + prompt.cacheWrite > 0;
    const touched = isLasting ? time : this.info?.lastCacheTouchAt;
    const { input, output, cacheRead, cacheWrite, total } = readUsageNumbers(usage);
    const hasExpiry = retention !== undefined && touched !== undefined;
    this.info = omitUndefined({
      lastCallUsage: { input, output, cacheRead, cacheWrite, total },
      observation,
      lastCacheTouchAt: touched,
      retention,
      expiresAt: hasExpiry ? touched + LIFETIMES[retention] : undefined,
    });
    this.before = toEarlierPrompt(prompt, this.before);
    this.beforeRead = prompt.cacheRead;
    this.call = call;
  }

  /** A call that only reads touches what the calls before it wrote; the cache of another model is another cache. */
  private findRetention(message: JsonObject, usage: JsonObject, model: string): Retention | undefined {
    if ((readHourCacheWrite(usage) ?? 0) > 0) return 'long';
    const before = this.call?.model === model ? this.call.retention : undefined;
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
  if (one.retention !== undefined && other.retention !== undefined && one.retention !== other.retention)
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
