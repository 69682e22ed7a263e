import * as fc from 'fast-check';
import { buildUnreadableFile, type CheckedFile } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/finding.js';
import { type CheckResults, CheckTotals, type Reporter, type RuleRun } from '#cli/commands/check/reporters/define.js';
import { renderers } from '#ui/doc/index.js';
import { plainStyle } from '#ui/doc/style.js';
import textRenderer from '#ui/doc/text.js';
import { anyCharacter } from './any-character.js';

export const RULES: readonly RuleRun[] = [
  { name: 'orphan', group: 'tree', severity: 'error', summary: 'An orphan', help: 'It *has* no parent.' },
  { name: 'dangling-label', group: 'tree', severity: 'warning', summary: 'A label', help: 'It names nothing.' },
  { name: 'abandoned-leaves', group: 'tree', severity: 'note', summary: 'Leaves', help: 'There are several.' },
  { name: 'credential', group: 'secrets', severity: 'error', summary: 'A key', help: 'Take it back.' },
];

const BREAKING = (
  '\u001b[2J \u0007 \0 \r\n \n \t \u0085 \u2028 \u202e \ufeff \ufffe \uffff \ud800 🙂 天気 ]]> </failure> <b> &amp; " \' ' +
  '::error:: ##[error] %0A % | ` * [a](b) {0} @ada https://a.b : , / .. __proto__ - \\'
).split(' ');

const NOWHERE = { offset: null, length: null };

/** What somebody might write into a session or a file name to break a report. */
const hostile = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.array(fc.constantFrom(...BREAKING), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...BREAKING), { maxLength: 8 }).map((parts) => parts.join(' ')),
);

const finding: fc.Arbitrary<Finding> = fc
  .record({
    rule: fc.constantFrom(...RULES),
    message: hostile,
    line: fc.option(fc.integer({ min: 1, max: 999_999 })),
    entryId: fc.option(hostile),
    place: fc.option(hostile),
    fix: fc.option(hostile),
    related: fc.array(hostile, { maxLength: 2 }),
    span: fc.option(fc.record({ offset: fc.nat(), length: fc.nat() })),
  })
  .map(({ rule, span, ...rest }) => ({ rule: rule.name, severity: rule.severity, ...rest, ...(span ?? NOWHERE) }));

const file: fc.Arbitrary<CheckedFile> = fc
  .oneof(
    { weight: 8, arbitrary: fc.tuple(hostile, fc.array(finding, { maxLength: 12 }), fc.nat()) },
    { weight: 1, arbitrary: fc.tuple(hostile, hostile, fc.option(hostile)) },
  )
  .map(([name, second, third]) =>
    typeof second === 'string'
      ? buildUnreadableFile(`${name}.jsonl`, second, third as string | null)
      : checkedFile(`${name}.jsonl`, second, third as number),
  );

export const files: fc.Arbitrary<readonly CheckedFile[]> = fc.uniqueArray(file, {
  maxLength: 8,
  selector: (one) => one.file,
});

/** A file with these findings, of which each rule has `more` that are not listed. */
export function checkedFile(name: string, findings: Finding[], more = 0): CheckedFile {
  const counts: Record<string, number> = {};
  for (const { rule } of findings) counts[rule] = (counts[rule] ?? more) + 1;
  return { file: name, size: 1000, bytesAccountedFor: 1000, entries: 10, counts, findings };
}

/** An error at a line. */
export function orphan(line: number, rest: Partial<Finding> = {}): Finding {
  const about = { rule: 'orphan', severity: 'error', message: 'its parent is not in the file' } as const;
  return { ...about, line, entryId: `u${line}`, ...NOWHERE, place: null, fix: null, related: [], ...rest };
}

/** A run over these files. */
export function runOver(
  all: readonly CheckedFile[],
  wishes: Partial<Omit<CheckResults, 'files' | 'totals'>> = {},
): CheckResults {
  const rules = wishes.rules ?? RULES;
  const totals = new CheckTotals(rules);
  async function* inBatches(): AsyncGenerator<readonly CheckedFile[]> {
    for (let at = 0; at < all.length; at += 2) {
      const batch = all.slice(at, at + 2);
      for (const one of batch) totals.add(one);
      yield batch;
    }
  }
  return {
    files: inBatches(),
    totals,
    rules,
    mildest: 'note',
    unnamed: null,
    maxWarnings: Infinity,
    view: { format: 'text', columns: Infinity, rows: Infinity },
    pathInRepository: (name) => (/^(?:\/|[a-z]:|\\\\)/i.test(name) ? null : name),
    ...wishes,
  };
}

/** What a reporter prints. */
export async function printed(reporter: Reporter, run: CheckResults): Promise<string> {
  const renderer = renderers.find(({ name }) => name === reporter.name) ?? textRenderer;
  let out = '';
  for await (const piece of reporter.report(run))
    out +=
      typeof piece === 'string' ? piece : await renderer.render({ data: null, doc: () => piece }, run.view, plainStyle);
  return out;
}

/** Characters that no report may hold as they are. */
export const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/u;
