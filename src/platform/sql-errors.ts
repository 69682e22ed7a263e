import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';

/** Runs SQL of the user. If it fails, that is a mistake of the user: throws a CtxError (usage). */
export async function rethrowSqlError<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const errorText = (error as Error).message.replace('Failed to extract statements: ', '');
    const [what = ''] = errorText.split(/\n\s*\n|\nLINE /);
    throw buildSqlError(what.replaceAll(/\s*\n\s*/g, ' '), findUnknownName(what), errorText);
  }
}

/** An error with its place, and with the most similar name, or all that DuckDB suggests. */
function buildSqlError(what: string, unknown: string, errorText: string): CtxError {
  const place = readErrorPlace(errorText);
  if (unknown === '') return new CtxError('usage', what, place);
  const candidates = readCandidates(errorText).filter((name) => !INTERNAL.test(name));
  const hint = didYouMean(unknown, candidates, 'ctx query --tables lists tables and columns');
  const isNamed = candidates.some((name) => hint.includes(`"${name}"`));
  const isOwn = candidates.length > 0 && readCandidates(errorText).length === candidates.length;
  const short = isNamed || !isOwn ? what.replace(/ (?:Did you mean|Candidate bindings:).*$/, '') : what;
  return new CtxError('usage', short, { ...place, hint });
}

/** Tables of the database itself, which hold no sessions. */
const INTERNAL = /^(?:pg_|duckdb_|sqlite_|pragma_|information_schema)/;

/** The table, column or function that does not exist; empty for other errors. */
function findUnknownName(what: string): string {
  return /(?:with name|column|column named) "?(\w+)"?(?: does not exist| not found|$)/m.exec(what)?.[1] ?? '';
}

/** The line of the SQL that DuckDB quotes, with its mark. */
function readErrorPlace(errorText: string): { readonly where?: string; readonly excerpt?: readonly string[] } {
  const [, label = '', number, text = '', before = ''] = /\n(LINE (\d+): )(.*)\n( *)\^/.exec(errorText) ?? [];
  if (number === undefined) return {};
  const cells = Math.max(0, before.length - label.length);
  // DuckDB counts the cells of a terminal, and cuts long lines.
  const isWhole = /^(?!\.\.\.)[ -~]*$/.test(text);
  return { where: `line ${number}${isWhole ? `, column ${cells + 1}` : ''}`, excerpt: [text, `${' '.repeat(cells)}^`] };
}

/** The names that DuckDB finds similar. */
function readCandidates(errorText: string): readonly string[] {
  const [, list = ''] = /^(?:Did you mean|Candidate bindings:)(.*)$/m.exec(errorText) ?? [];
  return [...list.matchAll(/(\w+)"/g)].map(([, name = '']) => name);
}
