import { describe, expect, it } from 'vitest';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { CacheTelemetry } from '#lab/drive/cache-telemetry.js';

const MINUTE = 60_000;
const ANTHROPIC = { provider: 'anthropic', api: 'anthropic-messages', model: 'claude-sonnet-4-5' };
const OPENAI = { provider: 'openai', api: 'openai-responses', model: 'gpt-5' };

/** What is known after calls of one model, a minute apart. */
function after(
  model: Readonly<Record<string, string>>,
  ...calls: readonly Readonly<Record<string, number>>[]
): CacheTelemetry['now'] {
  const telemetry = new CacheTelemetry();
  for (const [at, usage] of calls.entries())
    telemetry.take({ ...model, usage: { input: 10, output: 1, ...usage } }, EMPTY_ENVELOPE, at * MINUTE);
  return telemetry.now;
}

describe('the retention of the cache', () => {
  it('is an hour where the session records that something was written for an hour', () => {
    const cache = after(ANTHROPIC, { cacheWrite: 2000, cacheWrite1h: 2000 }, { cacheRead: 2000 });
    expect(cache).toMatchObject({ retention: 'long', lastCacheTouchAt: MINUTE, expiresAt: 61 * MINUTE });
  });

  it('is five minutes where Anthropic wrote, and not for an hour', () => {
    for (const more of [{}, { cacheWrite1h: 0 }])
      expect(after(ANTHROPIC, { cacheWrite: 2000, ...more })).toMatchObject({
        retention: 'short',
        expiresAt: 5 * MINUTE,
      });
  });

  it('is unknown where the session does not record it', () => {
    for (const cache of [after(OPENAI, { cacheRead: 2000 }), after(ANTHROPIC, { cacheRead: 2000 })]) {
      expect(cache).toMatchObject({ lastCacheTouchAt: 0 });
      expect(cache).not.toHaveProperty('retention');
      expect(cache).not.toHaveProperty('expiresAt');
    }
  });

  it('is not that of another model', () => {
    const telemetry = new CacheTelemetry();
    telemetry.take({ ...ANTHROPIC, usage: { input: 1, cacheWrite: 2000 } }, EMPTY_ENVELOPE, 0);
    telemetry.take({ ...OPENAI, usage: { input: 1, cacheRead: 2000 } }, EMPTY_ENVELOPE, MINUTE);
    expect(telemetry.now).not.toHaveProperty('retention');
    expect(telemetry.now?.observation?.changes).toMatchObject([{ code: 'model' }]);
  });

  it('is told as a change where it is another one', () => {
    const cache = after(ANTHROPIC, { cacheWrite: 2000 }, { cacheRead: 2000, cacheWrite: 100, cacheWrite1h: 100 });
    expect(cache?.observation?.changes).toEqual([{ code: 'cacheRetention', detail: 'short → long' }]);
    const same = after(ANTHROPIC, { cacheWrite: 2000 }, { cacheRead: 2000, cacheWrite: 100 });
    expect(same?.observation).not.toHaveProperty('changes');
  });
});

describe('the changes between two calls', () => {
  it('show another API of the same model as another stream strategy', () => {
    const telemetry = new CacheTelemetry();
    telemetry.take({ ...OPENAI, usage: { input: 10 } }, EMPTY_ENVELOPE, 0);
    telemetry.take({ ...OPENAI, api: 'openai-codex-responses', usage: { input: 10 } }, EMPTY_ENVELOPE, MINUTE);
    expect(telemetry.now?.observation?.changes).toEqual([
      { code: 'streamStrategy', detail: 'openai-responses → openai-codex-responses' },
    ]);
    telemetry.take({ ...OPENAI, api: undefined, usage: { input: 10 } }, EMPTY_ENVELOPE, 2 * MINUTE);
    expect(telemetry.now?.observation).not.toHaveProperty('changes');
  });

  it('show a transport that failed and the one in its place, as Pi records them', () => {
    const details = {
      configuredTransport: 'websocket',
      fallbackTransport: 'sse',
      phase: 'before_message_stream_start',
    };
    const failure = { type: 'provider_transport_failure', timestamp: 1, error: { message: 'closed' }, details };
    const telemetry = new CacheTelemetry();
    telemetry.take({ ...OPENAI, usage: { input: 10 } }, EMPTY_ENVELOPE, 0);
    telemetry.take({ ...OPENAI, diagnostics: [failure], usage: { input: 10 } }, EMPTY_ENVELOPE, MINUTE);
    expect(telemetry.now?.observation?.changes).toEqual([{ code: 'transport', detail: 'websocket → sse' }]);
    const withoutFallback = { ...failure, details: { configuredTransport: 'websocket' } };
    telemetry.take({ ...OPENAI, diagnostics: [withoutFallback], usage: { input: 10 } }, EMPTY_ENVELOPE, 2 * MINUTE);
    expect(telemetry.now?.observation).not.toHaveProperty('changes');
  });

  it('show another model, prompt and tools', () => {
    const telemetry = new CacheTelemetry();
    telemetry.take({ ...ANTHROPIC, usage: { input: 10 } }, EMPTY_ENVELOPE, 0);
    const system = { parts: [], compiled: 'Be brief.' };
    telemetry.take(
      { ...OPENAI, usage: { input: 10 } },
      { ...EMPTY_ENVELOPE, system, tools: [{ name: 'read' }] },
      MINUTE,
    );
    expect(telemetry.now?.observation?.changes?.map(({ code }) => code)).toEqual(['model', 'systemPrompt', 'tools']);
  });
});
