import { type CtxError, shortenForError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { type Doc, line, span } from '#ui/doc/doc.js';
import { chooseRenderer } from '#ui/doc/index.js';
import { shortenPaths } from '../sessions/folders.js';
import { chooseStyle } from './print.js';

/** An error for a terminal: the cause, the place and a hint on lines of their own, wrapped at words. */
export async function formatFailure(io: Io, { message, where, hint, excerpt }: CtxError): Promise<string> {
  const show = (text: string): string => shortenPaths(toVisibleLine(shortenForError(text)), io);
  const doc: Doc = [
    line(span('error: ', 'error'), show(message)),
    ...(where === null ? [] : [line(span(`  ${show(where)}`, 'faint'))]),
    ...excerpt.map((text) => line(span(`  ${toVisibleLine(text)}`))),
    ...(hint === null ? [] : [line(span('hint: ', 'good'), show(hint))]),
  ];
  return renderForErrors(io, doc);
}

/** A document as text for standard error. */
export async function renderForErrors(io: Io, doc: Doc): Promise<string> {
  const { columns, rows } = io.stderr;
  const style = await chooseStyle(io, io.stderr, undefined);
  return chooseRenderer('text').render({ data: null, doc: () => doc }, { format: 'text', columns, rows }, style);
}
