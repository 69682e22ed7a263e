import { type CheckedFile, isUnreadable, UNREADABLE } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/finding.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisible, toVisibleLine } from '#base/visible.js';
import { type CheckResults, describeFinding, isSeverityShown, type Reporter, type RuleRun } from './define.js';

export default {
  name: 'junit',
  summary: 'JUnit XML: a suite for each file, a test for each rule that found something',
  mildest: 'warning',
  async *report(run) {
    const files: CheckedFile[] = [];
    for await (const batch of run.files) files.push(...batch);
    const suites = files.map((file) => buildSuite(file, run));
    const attributes = { name: 'ctx check', ...addSums(suites.map(({ sums }) => sums)) };
    yield* formatXml({ name: 'testsuites', attributes, children: suites.map(({ element }) => element) });
  },
} satisfies Reporter;

interface Sums {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
}

function addSums(all: readonly Sums[]): Sums {
  return all.reduce(
    (sum, { tests, failures, errors }) => ({
      tests: sum.tests + tests,
      failures: sum.failures + failures,
      errors: sum.errors + errors,
    }),
    { tests: 0, failures: 0, errors: 0 },
  );
}

function buildSuite(file: CheckedFile, run: CheckResults): { element: Element; sums: Sums } {
  const cases = isUnreadable(file) ? [buildUnreadableCase(file)] : buildCases(file, run);
  const countWith = (name: string): number =>
    cases.filter(({ children = [] }) => children.some((child) => child.name === name)).length;
  const sums = { tests: cases.length, failures: countWith('failure'), errors: countWith('error') };
  return { element: { name: 'testsuite', attributes: { name: file.file, ...sums }, children: cases }, sums };
}

/** Builds a test for each rule that found something, or one that passes, as other linters do. */
function buildCases(file: CheckedFile, run: CheckResults): readonly Element[] {
  const found = run.rules.filter(({ name }) => (file.counts[name] ?? 0) > 0);
  return found.length === 0 ? [buildTestCase('ctx check', file)] : found.map((rule) => buildRuleCase(rule, file, run));
}

function buildUnreadableCase(file: CheckedFile): Element {
  const [finding] = file.findings;
  const attributes = { message: finding?.message ?? '', type: UNREADABLE };
  return buildTestCase(UNREADABLE, file, { name: 'error', attributes, text: finding?.fix ?? '' });
}

/** A rule passes without findings, and also with findings that are no failures, which it prints. */
function buildRuleCase({ name, severity }: RuleRun, file: CheckedFile, run: CheckResults): Element {
  const total = file.counts[name] ?? 0;
  // Warnings fail only when there are too many of them, which is known now that all files are checked.
  const areWarningsBad = run.totals.found.warning > run.maxWarnings;
  const isBad = severity === 'error' || (severity === 'warning' && areWarningsBad);
  if (!isBad && !isSeverityShown(severity, run.mildest)) return buildTestCase(name, file);
  const found = file.findings.filter(({ rule }) => rule === name);
  const text = describeFindings(found, total);
  if (!isBad) return buildTestCase(name, file, { name: 'system-out', attributes: {}, text });
  const [first] = found;
  const message =
    total === 1 && first ? describeFinding(first) : `${pluralize(total, severity)}, the first: ${first?.message ?? ''}`;
  return buildTestCase(name, file, { name: 'failure', attributes: { message, type: severity }, text });
}

function buildTestCase(name: string, { file }: CheckedFile, ...children: readonly Element[]): Element {
  // Readers of such reports take the text after the last dot for a class.
  return { name: 'testcase', attributes: { name, classname: file.replace(/\.jsonl$/, ''), time: 0 }, children };
}

function describeFindings(found: readonly Finding[], total: number): string {
  const lines = found.map((finding) => {
    const { severity, line, entryId, fix } = finding;
    const where = [...(line === null ? [] : [`line ${line}`]), ...(entryId === null ? [] : [`entry ${entryId}`])];
    return `${[severity, ...where].join(', ')}: ${describeFinding(finding)}${fix === null ? '' : `; to fix it: ${fix}`}`;
  });
  const more = total - found.length;
  return [...lines, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('\n');
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children?: readonly Element[];
  readonly text?: string;
}

/** A document in pieces. Attributes and texts may hold anything. */
function* formatXml(root: Element): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* formatElement(root, '');
}

function* formatElement({ name, attributes, children = [], text }: Element, indent: string): Generator<string> {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(toVisibleLine(String(value)))}"`,
  );
  const start = `${indent}<${name}${given.join('')}`;
  if (text !== undefined) yield `${start}>${escapeXml(toVisible(text))}</${name}>\n`;
  else if (children.length === 0) yield `${start}/>\n`;
  else {
    yield `${start}>\n`;
    for (const child of children) yield* formatElement(child, `${indent}  `);
    yield `${indent}</${name}>\n`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters were made visible before: XML has no way to write them. These two it does not allow either. */
function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '').replaceAll(/[\ufffe\uffff]/g, '\ufffd');
}
