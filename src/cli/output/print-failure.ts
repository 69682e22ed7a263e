import { type CtxError, shortenForError } from '#base/errors.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { type Block, type Doc, fileSpan, line, span } from '#ui/doc/doc.js';
import { chooseRenderer } from '#ui/doc/index.js';
import { shortenPaths } from '../sessions/folders.js';
import { nameSessionsById } from '../sessions/handles.js';
import { chooseStyle } from './colours.js';

/** An error for a terminal: the cause, the place and a hint on lines of their own, wrapped at words. */
export async function formatFailure(io: Io, { message, where, hint, excerpt }: CtxError): Promise<string> {
  const show = (text: string): string => shortenPaths(toVisibleLine(shortenForError(text)), io);
  const isLong = hint !== null && show(hint).length > io.stderr.columns;
  const advice = isLong ? await nameSessionsById(hint, io) : hint;
  const doc: Doc = [
    line(span('error: ', 'error'), show(message)),
    ...(where === null ? [] : [renderPlace(show(where))]),
    ...excerpt.map((text) => line(span(`  ${toVisibleLine(text)}`))),
    ...(advice === null ? [] : [line(span('hint: ', 'good'), show(advice))]),
  ];
  return renderForErrors(io, doc);
}

/** The place of an error, which is a path as a rule. */
function renderPlace(place: string): Block {
  const isPath = /^[~/]\S*$/.test(place);
  return { kind: 'bullets', items: [[isPath ? fileSpan(place, place, 'faint') : span(place, 'faint')]] };
}

/** A document as text for standard error. */
export async function renderForErrors(io: Io, doc: Doc): Promise<string> {
  const { columns, rows, isTerminal } = io.stderr;
  const style = await chooseStyle(io, io.stderr, undefined);
  const view = { format: 'text', columns, rows, isTerminal };
  return chooseRenderer('text').render({ data: null, doc: () => doc }, view, style);
}
