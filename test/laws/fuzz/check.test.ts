import { expect, it } from 'vitest';
import type { ActiveRule } from '#analysis/check/active-rules.js';
import { checkSession } from '#analysis/check/check-session.js';
import type { Rule } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { CtxError } from '#base/errors.js';
import { openSession } from '#context/open.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { HEADER } from '../../support/entries.js';
import { fuzzedFile, fuzzedLine } from '../../support/fuzzed.js';
import { ctx } from '../../support/memory-io.js';
import { Random } from '../../support/random.js';
import { repairIfSession } from '../../support/repaired.js';
import { runs } from '../../support/runs.js';

/** The same each time, so that a failure is the fault of a change. FUZZ_SEED gives others. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 7);
const FILES = runs(10_000, 150);
const LINES = runs(100_000, 1500);
const LINES_OF_FILE = 500;
/** In milliseconds: other tests run at the same time. */
const TIMEOUT = 240_000;

const rules = (await loadRules()).flatMap((rule): readonly ActiveRule<Rule>[] => {
  if (rule.severity === null) return [];
  return [{ rule, severity: rule.severity, options: rule.options?.parse({}) }];
});

/** Looking for secrets takes as long as all else, and lines are all that they look at. */
const rulesButSecrets = rules.filter(({ rule }) => rule.group !== 'secrets');

/** Checks a file, and repairs it; the result is checked now and then, by every rule. */
async function survives(
  file: Uint8Array,
  name: string,
  { isCheckedAgain, wanted }: { readonly isCheckedAgain: boolean; readonly wanted: readonly ActiveRule[] },
): Promise<{ readonly findings: number; readonly isMended: boolean }> {
  try {
    const repaired = await repairIfSession(file);
    const findings = await findingsIn(file, isCheckedAgain ? rules : wanted);
    if (repaired && isCheckedAgain) await findingsIn(repaired.bytes, rules);
    return { findings, isMended: repaired !== null };
  } catch (error) {
    const bytes = Buffer.from(file).toString('base64');
    throw new Error(`${name}, FUZZ_SEED=${SEED}: ${bytes.slice(0, 5000)}`, { cause: error });
  }
}

async function findingsIn(bytes: Uint8Array, wanted: readonly ActiveRule[]): Promise<number> {
  try {
    let findings = 0;
    const session = await openSession(bytes, nodeFiles, { withoutHeader: true });
    const report = (): void => void (findings += 1);
    checkSession({ session, rules: wanted, requests: 'leaf', envelope: {}, report });
    return findings;
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return 0;
    throw error;
  }
}

it(
  `${FILES} fuzzed files are checked and repaired without a crash`,
  async () => {
    let repaired = 0;
    for (let at = 0; at < FILES; at += 1) {
      const how = { isCheckedAgain: at % 20 === 0, wanted: rulesButSecrets };
      if ((await survives(fuzzedFile(new Random(SEED + at)), `file ${at}`, how)).isMended) repaired += 1;
    }
    expect(repaired).toBeGreaterThan(FILES / 2);
  },
  TIMEOUT,
);

it(
  `${LINES} fuzzed lines are checked and repaired without a crash`,
  async () => {
    const header = Buffer.from(`${JSON.stringify(HEADER)}\n`);
    const newline = Buffer.from('\n');
    let findings = 0;
    for (let at = 0; at < LINES; at += LINES_OF_FILE) {
      const random = new Random(SEED + at);
      const parts: Uint8Array[] = [header];
      for (let line = 0; line < LINES_OF_FILE; line += 1) parts.push(fuzzedLine(random), newline);
      const how = { isCheckedAgain: at % 10_000 === 0, wanted: rules };
      findings += (await survives(Buffer.concat(parts), `lines ${at}`, how)).findings;
    }
    expect(findings).toBeGreaterThan(LINES / 10);
  },
  TIMEOUT,
);

it('the command line never ends in a bug', async () => {
  for (let at = 0; at < runs(200, 8); at += 1) {
    const files = { 'f.jsonl': fuzzedFile(new Random(SEED - at)) };
    for (const args of [
      ['check', 'f.jsonl', '--json', '--requests', 'all'],
      ['repair', 'f.jsonl', '--output', 'new.jsonl', '--json'],
    ]) {
      const { exitCode, stderr } = await ctx(args, { files });
      expect([SEED, at, stderr, [0, 1, 3].includes(exitCode)]).toEqual([SEED, at, stderr, true]);
    }
  }
});
