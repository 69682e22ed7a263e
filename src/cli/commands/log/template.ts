import { CtxError } from '#base/errors.js';
import { timeText } from '#base/time.js';
import { visibleLine } from '#base/visible.js';
import { entryName } from '#context/words/entry-text.js';
import { idText } from '#session/table/head.js';
import type { LogRow } from './view.js';

const FIELDS = {
  id: ({ head }) => idText(head.id),
  line: ({ head }) => head.line,
  type: ({ head }) => head.type,
  role: ({ head }) => head.role,
  name: ({ head }) => entryName(head),
  tokens: ({ tokens }) => tokens,
  context: ({ contextTokens }) => contextTokens,
  recorded: ({ usage }) => usage && usage.total,
  cost: ({ usage }) => usage && usage.cost,
  time: ({ head }) => timeText(head.time),
  label: ({ label }) => label,
  preview: ({ preview }) => preview,
} satisfies Readonly<Record<string, (row: LogRow) => string | number | null>>;

/** What a template may hold. */
export const logPlaceholders: readonly string[] = Object.keys(FIELDS);

export interface LogTemplate {
  /** Whether the running total has to be known. */
  readonly asksForContext: boolean;
  /** Values stand on one line each; what the template says itself stays as it is. */
  lineOf(row: LogRow): string;
}

/** Reads a template such as `{id}\t{tokens}`. Throws a CtxError (usage) for a placeholder that there is not. */
export function readLogTemplate(template: string): LogTemplate {
  const names = Array.from(template.matchAll(PIECE), ([, name]) => name);
  const unknown = names.find((name) => name !== undefined && !isField(name));
  if (unknown !== undefined) {
    const known = logPlaceholders.map((name) => `{${name}}`).join(' ');
    throw new CtxError('usage', `there is no placeholder "{${unknown}}"`, { hint: `choose of ${known}` });
  }
  return {
    asksForContext: names.includes('context'),
    lineOf: (row) =>
      template.replaceAll(PIECE, (piece, name: string | undefined) =>
        name === undefined ? (ESCAPES[piece] ?? piece) : valueOf(name, row),
      ),
  };
}

const PIECE = /\\[tn\\]|\{([^{}]*)\}/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\\\': '\\' };

function isField(name: string): name is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, name);
}

function valueOf(name: string, row: LogRow): string {
  return isField(name) ? visibleLine(String(FIELDS[name](row) ?? '')) : '';
}
