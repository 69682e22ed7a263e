import { CtxError, shortenForError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { toVisibleLine } from '#base/visible.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';
import type { Io } from '#platform/io.js';
import { renderJson } from '#ui/doc/json.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { Outcome, OutcomeStream } from '../commands/define.js';
import { createCut, type OutputCut } from './cut-output.js';

/** `--fields` and `--max-tokens` of a command line. */
interface AnswerSize {
  readonly format: string;
  /** Paths of JSON members, separated by commas. */
  readonly fields?: string | undefined;
  readonly maxTokens?: number | undefined;
}

/** An outside world that remembers whether a command wrote a file in it, after which the answer may no longer fail. */
export function trackWrites(io: Io): { readonly io: Io; hasWritten(): boolean } {
  let hasWritten = false;
  const tracked =
    <Args extends readonly unknown[], Result>(write: (...args: Args) => Result) =>
    (...args: Args): Result => {
      hasWritten = true;
      return write(...args);
    };
  const createNew = tracked(io.files.createNew);
  const openToAppend = tracked(io.files.openToAppend);
  return { io: { ...io, files: { ...io.files, createNew, openToAppend } }, hasWritten: () => hasWritten };
}

/**
 * Limits an outcome and its output to `--fields` and `--max-tokens`. Throws a CtxError: refused for a larger document,
 * usage for fields that it does not have. The answer of a command that wrote a file is whole then, with a note.
 */
export async function limitOutcome(
  io: Io,
  outcome: Outcome,
  { format, fields, maxTokens }: AnswerSize,
  hasWritten = false,
): Promise<{ readonly outcome: Outcome; readonly cut: OutputCut | null }> {
  const all = await toSelectable(outcome, format);
  try {
    const selected = fields === undefined ? all : selectFields(all, new FieldSelection(fields));
    return limitOutput(io, selected, { format, maxTokens });
  } catch (error) {
    if (!hasWritten || !(error instanceof CtxError)) throw error;
    await io.stderr.write(
      `ctx: ${toVisibleLine(shortenForError(error.message))}; it is whole, because a file was written\n`,
    );
    return { outcome: all, cut: null };
  }
}

/** An outcome, and what cuts its output; null: it is printed whole. */
function limitOutput(io: Io, outcome: Outcome, { format, maxTokens }: AnswerSize) {
  if (maxTokens === undefined || outcome.kind === 'bytes') return { outcome, cut: null };
  if (outcome.kind === 'single' && format === 'json') assertWithin(renderJson(outcome.item.data, io.stdout), maxTokens);
  else if (outcome.kind === 'pieces' && DOCUMENTS.has(format))
    assertWithin(outcome.pieces as readonly string[], maxTokens);
  else return { outcome, cut: createCut(io, outcome, format, maxTokens) };
  return { outcome, cut: null };
}

/** The formats in which a part of an answer would be none. */
const DOCUMENTS: ReadonlySet<string> = new Set(['json', 'sarif', 'junit']);

/** An outcome whose data can be counted and selected from. */
async function toSelectable(outcome: Outcome, format: string): Promise<Outcome> {
  if (outcome.kind === 'pieces' && DOCUMENTS.has(format)) return collectPieces(outcome, format);
  return outcome;
}

/** A document that comes in pieces, as a whole: of JSON as a report, whose fields can be selected. */
async function collectPieces(outcome: Extract<Outcome, { kind: 'pieces' }>, format: string): Promise<Outcome> {
  const pieces: string[] = [];
  for await (const piece of outcome.pieces) {
    if (typeof piece === 'string') pieces.push(piece);
  }
  if (format !== 'json') return { ...outcome, pieces };
  return { kind: 'single', item: { data: JSON.parse(pieces.join('')) as unknown, doc: () => [] }, ...outcome.end() };
}

function selectFields(outcome: Outcome, selection: FieldSelection): Outcome {
  if (outcome.kind === 'single') {
    const item = selection.of(outcome.item);
    selection.assertFound();
    return item === null ? outcome : { ...outcome, item };
  }
  if (outcome.kind !== 'stream') return outcome;
  return {
    ...outcome,
    batches: selectItems(outcome, selection),
    end() {
      selection.assertFound();
      return outcome.end();
    },
  };
}

async function* selectItems(outcome: OutcomeStream, selection: FieldSelection) {
  for await (const batch of outcome.batches) yield batch.flatMap((item) => selection.of(item) ?? []);
}

/** A path of keys, such as `meta.size`. Lists on the way are walked. */
type FieldPath = readonly string[];

const NONE = Symbol('none');

class FieldSelection {
  private readonly paths: readonly FieldPath[];
  private keys: readonly string[] = [];
  private isFound = false;

  constructor(private readonly fields: string) {
    this.paths = fields.split(',').map((field) => field.trim().split('.'));
  }

  /** The report with only these members of its data; null if it has none of them, as for a line of another kind. */
  of({ data: all, doc }: Printable): Printable | null {
    const data = pickMembers(all, this.paths);
    this.isFound ||= data !== NONE;
    if (isObject(all)) this.keys = Object.keys(all);
    return data === NONE ? null : { data, doc };
  }

  /** Throws a CtxError (usage) if no answer had one of the fields. */
  assertFound(): void {
    if (this.isFound || this.keys.length === 0) return;
    throw new CtxError('usage', `the answer has no field "${this.fields}"`, { hint: `choose ${this.keys.join(', ')}` });
  }
}

function pickMembers(value: unknown, paths: readonly FieldPath[]): unknown {
  if (value === null || paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => pickMembers(item, paths)).filter((item) => item !== NONE);
    return value.length > 0 && items.length === 0 ? NONE : items;
  }
  if (!isObject(value)) return NONE;
  const keys = [...new Set(paths.map(([key]) => key ?? ''))].filter((key) => Object.hasOwn(value, key));
  const members = keys.flatMap((key) => {
    const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
    const member = pickMembers(value[key], below);
    return member === NONE ? [] : [[key, member] as const];
  });
  return members.length === 0 ? NONE : Object.fromEntries(members);
}

/** A part of a document would be none. */
function assertWithin(pieces: Iterable<string>, maxTokens: number): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const tokens = Math.ceil(length / CHARACTERS_PER_TOKEN);
  if (tokens <= maxTokens) return;
  throw new CtxError('refused', `the answer takes ${tokens} tokens, more than --max-tokens ${maxTokens}`, {
    hint: 'select a part of it with --fields, or print text, which is cut',
  });
}
