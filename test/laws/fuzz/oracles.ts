import { CtxError } from '#base/errors.js';
import { schemas } from '#cli/schemas.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import type { Case } from './fuzz-case.js';

const NO_PLUGINS: NonNullable<World['startPlugin']> = () =>
  Promise.reject(new CtxError('input', 'no programs of their own here'));
const NO_PROGRAMS: NonNullable<World['runProgram']> = () =>
  Promise.resolve({ stdout: '', stderr: '', exitCode: null, failure: 'not-started' });
/** The time at which everything happens. */
const NOW = Date.UTC(2026, 2, 1);
/** Refusals are no bugs, and neither are findings. */
const EXPECTED: ReadonlySet<number> = new Set([0, 1, 2, 3, 4]);
const BUG = 70;
// oxlint-disable-next-line no-control-regex -- what a terminal would obey, but newlines, and tabs of our own
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What is wrong with what ctx does in a case; nothing where all laws hold. */
export async function complaints(each: Case): Promise<readonly string[]> {
  return judged(each, await ran(each, {}), await ran(each, { CTX_STRICT: '1' }));
}

/** The same of two runs, the second one with the reader that parses every line. */
export function judged(each: Case, once: Ran, strict: Ran): readonly string[] {
  const difference = differing(once, strict);
  return [
    ...ofExit(once),
    ...(difference === '' ? [] : [`the strict reader says something else: ${difference}`]),
    ...ofBytes(each, once),
    ...ofJson(each, once),
    ...ofFiles(each, once),
  ];
}

async function ran({ argv, files }: Case, env: Readonly<Record<string, string>>): Promise<Ran> {
  return ctx(argv, { files, env, startPlugin: NO_PLUGINS, runProgram: NO_PROGRAMS, now: NOW, cwd: '/home/ada' });
}

function ofExit({ exitCode, stderr }: Ran): readonly string[] {
  if (EXPECTED.has(exitCode)) return [];
  return [exitCode === BUG ? `a bug: ${stderr}` : `exit code ${exitCode}: ${stderr}`];
}

function differing(one: Ran, other: Ran): string {
  for (const part of ['exitCode', 'stdout', 'stderr'] as const)
    if (one[part] !== other[part]) return `${part}: ${short(one[part])} … ${short(other[part])}`;
  const names = new Set([...Object.keys(one.files), ...Object.keys(other.files)]);
  for (const name of names)
    if (!Buffer.from(one.files[name] ?? '').equals(Buffer.from(other.files[name] ?? ''))) return `the file ${name}`;
  return '';
}

function short(value: unknown): string {
  return String(value).slice(0, 300);
}

/** Bytes that were asked for as they are. */
function wantsRaw({ argv }: Case): boolean {
  const isFileOnOutput = argv.some((word, at) => word === '-' && ['-o', '--output'].includes(argv[at - 1] ?? ''));
  return argv.includes('--raw') || argv[0] === 'export' || isFileOnOutput;
}

function ofBytes(each: Case, { stdout, stderr }: Ran): readonly string[] {
  const isRaw = RAW.test(stderr) || (!wantsRaw(each) && RAW.test(uncoloured(each, stdout)));
  return isRaw ? [`raw control characters: ${JSON.stringify(RAW.exec(stderr + stdout)?.[0])}`] : [];
}

function uncoloured({ argv }: Case, stdout: string): string {
  // oxlint-disable-next-line no-control-regex -- what colours and links are made of
  return argv.includes('--color') ? stdout.replaceAll(/\u001b\[\d+m/g, '') : stdout;
}

function isJson({ argv }: Case): boolean {
  return argv.includes('--json') && !argv.some((word) => word.startsWith('--format')) && !wantsRaw({ argv, files: {} });
}

/** Parts of a document have no schema. */
function isPart({ argv }: Case): boolean {
  return ['--fields', '--part', '--patch'].some((flag) => argv.includes(flag));
}

function ofJson(each: Case, { stdout, stderr, exitCode }: Ran): readonly string[] {
  if (!isJson(each) || exitCode === BUG) return [];
  if (exitCode >= 2) return [...documentComplaints(stderr.trimEnd().split('\n').at(-1) ?? '', 'error')];
  // Help is a text.
  if (!stdout.startsWith('{')) return [];
  // One document is laid out over many lines, several are a line each.
  const documents = parsed(stdout) === undefined ? stdout.trimEnd().split('\n') : [stdout];
  if (!isPart(each)) return documents.flatMap((document) => documentComplaints(document));
  return documents.filter((document) => parsed(document) === undefined).map((text) => `no JSON: ${short(text)}`);
}

function documentComplaints(line: string, wanted?: string): readonly string[] {
  const value = parsed(line);
  if (typeof value !== 'object' || value === null) return [`no JSON object: ${short(line)}`];
  const { schema } = value as { readonly schema?: unknown };
  const name = typeof schema === 'string' ? schema.replace(/^ctx\//, '') : '';
  if (wanted !== undefined && name !== wanted) return [`not a ctx/${wanted}: ${short(line)}`];
  if (!Object.hasOwn(schemas, name)) return [`no schema of the name "${name}": ${short(line)}`];
  const result = schemas[name as keyof typeof schemas].safeParse(value);
  return result.success ? [] : [`not as ctx/${name} says: ${short(JSON.stringify(result.error.issues))}`];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What there was is still there: as it was, or with more behind it, unless somebody asked for another file in its place. */
function ofFiles({ argv, files }: Case, { files: after, exitCode }: Ran): readonly string[] {
  const mayReplace = argv.includes('--force') || argv.includes('--in-place') || argv.includes('--update');
  return Object.entries(files).flatMap(([name, before]) => {
    const now = Buffer.from(after[name] ?? '');
    if (now.equals(before)) return [];
    if (exitCode >= 2) return [`it failed, and changed ${name}`];
    if (argv.includes('--dry-run')) return [`a dry run changed ${name}`];
    const isLonger = now.subarray(0, before.length).equals(before);
    return isLonger || mayReplace || argv.includes('--write-baseline') ? [] : [`${name} is not what it was`];
  });
}
