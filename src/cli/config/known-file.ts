import path from 'node:path';
import * as z from 'zod/mini';
import type { KnownFindings } from '#analysis/check/checked-file.js';
import { CtxError } from '#base/errors.js';
import type { Io } from '#platform/io.js';

const SCHEMA = 'ctx/known-findings';

/** The file in which findings are recorded. */
export const knownFindings = z.object({
  schema: z.literal(SCHEMA),
  schemaVersion: z.literal(1),
  files: z.array(
    z.object({
      /** From the folder of this file, with `/` between the names. */
      file: z.string(),
      /** Their number by rule, and by entry, or by a hash without an entry. */
      findings: z.record(z.string(), z.record(z.string(), z.int().check(z.positive()))),
    }),
  ),
});

/** Findings that were recorded, by file as `keyFor` names it. */
export type KnownFile = ReadonlyMap<string, KnownFindings>;

/** How a file with recorded findings names another file. */
export function keyFor(io: Pick<Io, 'cwd'>, file: string, session: string): string {
  if (session === '-') return session;
  const from = path.dirname(path.resolve(io.cwd || '/', file));
  return path.relative(from, path.resolve(io.cwd || '/', session)).replaceAll(path.sep, '/');
}

/** Reads the file of recorded findings. Throws a CtxError (usage) for one that is not there, or something else. */
export async function readKnown(io: Pick<Io, 'files'>, file: string): Promise<KnownFile> {
  if (!io.files.exists(file))
    throw new CtxError('usage', 'there is no such file of recorded findings', {
      where: file,
      hint: `write it with --write-baseline ${file}`,
    });
  const value = await valueIn(io, file);
  const parsed = knownFindings.safeParse(value);
  if (!parsed.success) throw notKnown(file, value);
  return new Map(parsed.data.files.map(({ file: name, findings }) => [name, findings]));
}

/** The text of the file: one line for each finding, in a stable order. */
export function knownText(known: KnownFile): string {
  const files = [...known]
    .filter(([, findings]) => Object.keys(findings).length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, findings]) => ({ file, findings }));
  return `${JSON.stringify({ schema: SCHEMA, schemaVersion: 1, files }, null, 2)}\n`;
}

async function valueIn({ files }: Pick<Io, 'files'>, file: string): Promise<unknown> {
  const source = await files.open(file);
  try {
    return JSON.parse(new TextDecoder().decode(source.read(0, source.size)));
  } catch {
    return undefined;
  } finally {
    source.close();
  }
}

function notKnown(file: string, value: unknown): CtxError {
  const { schema, schemaVersion } = (value ?? {}) as { readonly schema?: unknown; readonly schemaVersion?: unknown };
  if (schema === SCHEMA && typeof schemaVersion === 'number' && schemaVersion > 1)
    return new CtxError('usage', 'the recorded findings were written by a newer version of ctx', {
      where: file,
      hint: 'update ctx, or name another file',
    });
  const isContext = typeof value === 'object' && value !== null && ('parts' in value || 'tools' in value);
  const hint = isContext
    ? 'what sessions do not record is "contextBaseline" in the configuration'
    : 'name another file, or remove this one and write a new one with --write-baseline';
  return new CtxError('usage', 'this is no file of recorded findings', { where: file, hint });
}
