import type { OtlpSpan } from '#cli/commands/export/formats/otlp.js';
import { fixtureText } from '../../../security/hostile-session.js';
import { FIXTURES } from '../../../session/agents/kit/content.js';
import { ctx } from '../../../support/memory-io.js';

export interface Trace {
  readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: readonly OtlpSpan[] }] }];
}

/** The trace of a session. */
export async function exportTrace(text: string, ...flags: readonly string[]): Promise<Trace> {
  const { stdout, exitCode, stderr } = await ctx(['export', 's', '--format', 'otel', ...flags], { files: { s: text } });
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Trace;
}

export const spansOf = ({ resourceSpans: [{ scopeSpans }] }: Trace): readonly OtlpSpan[] => scopeSpans[0].spans;

export function valueOf(span: OtlpSpan, key: string): unknown {
  const { value } = span.attributes.find((attribute) => attribute.key === key) ?? {};
  return value && Object.values(value)[0];
}

/** The sessions whose traces are tried: one of Pi, and the fixtures of all agents. */
export const SESSIONS = [
  ['weather.jsonl', fixtureText('weather.jsonl')] as const,
  ...FIXTURES.map(({ name, text }) => [name, text] as const),
];
