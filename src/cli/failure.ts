import { type CtxError, short } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import text from '#ui/doc/text.js';
import { styleFor } from './print.js';

/** An error for a terminal: the cause, the place and a hint on lines of their own, wrapped at words. */
export async function failureText(io: Io, { message, where, hint }: CtxError): Promise<string> {
  const doc: Doc = [
    line(span('error: ', 'error'), visibleLine(short(message))),
    ...(where === null ? [] : [line(span(`  ${visibleLine(short(where))}`, 'faint'))]),
    ...(hint === null ? [] : [line(span('hint: ', 'good'), visibleLine(short(hint)))]),
  ];
  const { columns, rows } = io.stderr;
  const style = await styleFor(io, io.stderr, undefined);
  return text.render({ data: null, doc: () => doc }, { format: 'text', columns, rows }, style);
}
