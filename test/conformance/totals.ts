import path from 'node:path';
import { countSession } from '#analysis/stats/count-session.js';
import { statsReport } from '#analysis/stats/stats-report.js';
import { ignorePatches } from '#context/open.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { projectFolder } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { Random } from '../support/random.js';

/** What Pi's `getSessionStats` and `getUsageCostBreakdown` say; null where they throw. */
export type Totals = {
  readonly messages: Readonly<Record<'user' | 'assistant' | 'toolResults' | 'total' | 'toolCalls', number>>;
  readonly tokens: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'total', number>>;
  readonly cost: number;
  readonly models: readonly { readonly key: string; readonly cost: number; readonly tokens: number }[];
} | null;

export interface GoldenTotals {
  readonly fixtures: Readonly<Record<string, Totals>>;
  readonly generated: readonly Totals[];
}

export const goldenTotalsFile = path.join(projectFolder, 'test/golden/pi-totals.json');

/** Our own totals of a file. */
export function totalsOf(bytes: Uint8Array): Totals {
  const session = ignorePatches(readSession(toByteSource(bytes), 'totals'));
  const stats = countSession(session, { method: BY_CHARACTERS, title: '' });
  const { messages, usageRecorded, usageRecordedByModel: models } = statsReport([stats], [], undefined);
  const { input, output, cacheRead, cacheWrite, total, cost } = usageRecorded;
  return {
    messages,
    tokens: { input, output, cacheRead, cacheWrite, total },
    cost: cost ?? 0,
    models: models.map((of) => ({ key: of.model, cost: of.cost ?? 0, tokens: of.total })),
  };
}

/** Generated sessions with usage and costs wherever Pi looks for them. */
export const PAID: readonly number[] = Array.from({ length: 240 }, (_, at) => at + 1000);

type Json = Record<string, unknown>;

export function paidSession(seed: number): Uint8Array {
  const random = new Random(seed);
  const text = generateSession({
    seed,
    version: seed % 12 === 0 ? 1 : seed % 12 === 1 ? 2 : 3,
    entries: 30 + (seed % 4) * 20,
    compactions: 0.1,
    odd: seed % 5 === 0 ? 0.1 : 0,
  });
  return new TextEncoder().encode(
    text
      .split('\n')
      .map((line) => paid(line, random))
      .join('\n'),
  );
}

function paid(line: string, random: Random): string {
  let entry: Json | null;
  try {
    entry = JSON.parse(line) as Json | null;
  } catch {
    return line;
  }
  if (entry === null) return line;
  const message = entry['message'] as Json | null | undefined;
  const role = entry['type'] === 'message' ? message?.['role'] : null;
  if (role === 'assistant' || (role === 'toolResult' && random.chance(0.4))) {
    const answeredBy = random.chance(0.2) ? { responseModel: 'another-model' } : {};
    return JSON.stringify({ ...entry, message: { ...message, ...answeredBy, usage: usage(random) } });
  }
  const isSummary = entry['type'] === 'compaction' || entry['type'] === 'branch_summary';
  if (entry['type'] === 'usage' || role === 'user' || (isSummary && random.chance(0.7)))
    return JSON.stringify({ ...entry, usage: usage(random) });
  return line;
}

function usage(random: Random): Json {
  const [input, output, cacheRead, cacheWrite] = [1, 2, 3, 4].map(() => (random.chance(0.2) ? 0 : random.int(1, 9000)));
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    // A provider may say something else.
    totalTokens: random.int(0, 9000),
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: random.int(0, 90_000) / 77_777 },
  };
}
