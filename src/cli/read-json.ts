import { CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import type { Baseline } from '#context/replay/content.js';
import type { Files } from '#platform/files/files.js';

/** Reads and checks the file of `--baseline`, if there is one. zod is loaded only here and for patch ops. */
export async function readBaseline(files: Files, file: string | undefined): Promise<Baseline> {
  if (file === undefined) return {};
  const { baselineSchema } = await import('#context/replay/content.js');
  const value = await readJsonFile(files, file);
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (isObject(value) && value.schema === 'ctx/known-findings') {
    throw new CtxError('input', 'this file holds findings that ctx check recorded', {
      where: file,
      hint: 'here, --baseline names a file with the parts and tools that a session does not record',
    });
  }
  throw new CtxError('input', `not a baseline: ${describeIssue(parsed.error)}`, {
    where: file,
    hint: 'a baseline is {"parts":[{"name","text"}],"tools":[…],"options":{…},"limit":200000}, each optional',
  });
}

/** Reads a list of tool names. */
export async function readImplementations(files: Files, file: string): Promise<readonly string[]> {
  const value = await readJsonFile(files, file);
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new CtxError('input', 'not a list of tool names', { where: file, hint: 'write ["read","bash"]' });
}

/** Reads JSON from a file or from standard input. */
export async function readJsonFile(files: Files, file: string): Promise<unknown> {
  const text = await readTextFile(files, file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CtxError('input', `not JSON: ${(error as Error).message}`, { where: file, hint: 'correct the JSON' });
  }
}

/** The text of a file that is no session, or of standard input. */
export async function readTextFile(files: Files, file: string): Promise<string> {
  const source = await files.open(file).catch((error: unknown) => Promise.reject(dropSessionAdvice(error)));
  try {
    return new TextDecoder().decode(source.read(0, source.size));
  } finally {
    source.close();
  }
}

/** Files are opened with advice on sessions, which does not fit here. */
function dropSessionAdvice(error: unknown): unknown {
  if (!(error instanceof CtxError)) return error;
  const { kind, message, where, hint } = error;
  const isOfSessions = hint === null || /session|\.jsonl/.test(hint);
  return new CtxError(kind, message.replace(', not a session file', ''), {
    where: where ?? '',
    hint: isOfSessions ? 'check the path' : hint,
  });
}
