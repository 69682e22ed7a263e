import { CtxError } from '#base/errors.js';
import { formatTime } from '#base/time.js';
import { toVisibleLine } from '#base/visible.js';
import { formatId } from '#session/heads/head.js';
import type { LogRow } from './table.js';

const PLACEHOLDERS = {
  id: ({ head }) => formatId(head.id),
  line: ({ head }) => head.line,
  type: ({ head }) => head.type,
  role: ({ head }) => head.role,
  name: ({ name }) => name,
  tokens: ({ tokens }) => tokens,
  context: ({ contextTokens }) => contextTokens,
  recorded: ({ usage }) => usage && usage.total,
  cost: ({ cost }) => cost,
  costListed: ({ costListed }) => costListed,
  time: ({ head }) => formatTime(head.time),
  label: ({ label }) => label,
  preview: ({ preview }) => preview,
} satisfies Readonly<Record<string, (row: LogRow) => string | number | null>>;

/** The placeholders that a template accepts. */
export const logPlaceholders: readonly string[] = Object.keys(PLACEHOLDERS);

export interface LogTemplate {
  /** Whether the running total has to be known. */
  readonly asksForContext: boolean;
  /** Values are single lines; the template's own text is unchanged. */
  format(row: LogRow): string;
}

/** Reads a template such as `{id}\t{tokens}`. Throws a CtxError (usage) for an unknown placeholder. */
export function readLogTemplate(template: string): LogTemplate {
  const names = Array.from(template.matchAll(PIECE), ([, name]) => name);
  const unknown = names.find((name) => name !== undefined && !isPlaceholder(name));
  if (unknown !== undefined) {
    const placeholders = logPlaceholders.map((name) => `{${name}}`).join(' ');
    throw new CtxError('usage', `there is no placeholder "{${unknown}}"`, { hint: `choose from ${placeholders}` });
  }
  return {
    asksForContext: names.includes('context'),
    format: (row) =>
      template.replaceAll(PIECE, (piece, name: string | undefined) =>
        name === undefined ? (ESCAPES[piece] ?? piece) : formatField(name, row),
      ),
  };
}

const PIECE = /\\[tn\\]|\{([^{}]*)\}/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\\\': '\\' };

function isPlaceholder(name: string): name is keyof typeof PLACEHOLDERS {
  return Object.hasOwn(PLACEHOLDERS, name);
}

function formatField(name: string, row: LogRow): string {
  return isPlaceholder(name) ? toVisibleLine(String(PLACEHOLDERS[name](row) ?? '')) : '';
}
