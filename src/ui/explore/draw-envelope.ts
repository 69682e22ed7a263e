import { visibleLine } from '#base/visible.js';
import { percent, shortCount } from '#base/words.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { span, type Tone } from '../doc/doc.js';
import { messageRow } from '../parts/overview.js';
import { shortSizeText } from '../parts/size-words.js';
import { revisionOf } from './command-line.js';
import { underCursor } from './draw-list.js';
import { insideExtent, tabLines } from './inside.js';
import { fitted, type Line } from './lines.js';
import { layout, type Shown, type State, TABS } from './state.js';

export function envelopeTitle(state: State): Line {
  const { tab, focus, shown, known, building } = state;
  const names = TABS.flatMap((name) => [
    span(name, name !== tab ? 'faint' : focus === 'envelope' ? 'strong' : 'plain'),
    span(' '),
  ]);
  const at = shown && revisionOf(known, shown.index);
  const tokens = shown?.kind === 'ready' ? ` ${usedText(shown.overview.meta)}` : '';
  return [
    ...names,
    span(building === null ? '' : `reading ${percent(building, 1)} `, 'warning'),
    span(at === null ? '' : visibleLine(at).slice(0, LONGEST_ID), 'id'),
    span(tokens, 'faint'),
  ];
}

const LONGEST_ID = 12;

/** `~139k`, or `~139k of 200k` where the context window is known. */
function usedText({ size, limit }: EnvelopeOverview['meta']): string {
  return `${shortSizeText(size)}${limit === null ? '' : ` of ${shortCount(limit)}`}`;
}

/** The lines of the envelope that are seen, each as wide as the pane. */
export function envelopeLines(state: State): readonly Line[] {
  const { shown, ruler } = state;
  const { envelope: cells, body } = layout(state);
  const lines = shown === null ? [] : linesOf(state, shown);
  return Array.from({ length: body }, (_, at) => fitted(lines[at] ?? [], cells, ruler));
}

function linesOf(state: State, shown: Shown): readonly Line[] {
  const { tab, inside } = state;
  const { body } = layout(state);
  if (shown.kind === 'failed') return [[span(` ${visibleLine(shown.message)}`, 'error')]];
  if (tab !== 'messages') return tabLines(state).slice(inside.top, inside.top + body);
  const { length } = insideExtent(state);
  if (length === 0) return [[span(' no messages', 'faint')]];
  const last = Math.min(length, inside.top + body);
  return Array.from({ length: last - inside.top }, (_, at) => messageLine(state, shown, inside.top + at));
}

function messageLine(state: State, { overview }: Extract<Shown, { kind: 'ready' }>, index: number): Line {
  const { ruler, inside, focus } = state;
  const { envelope: cells } = layout(state);
  const { length } = insideExtent(state);
  const [number, role, id, tokens, preview] = messageRow(overview.messages, index);
  if (!number || !role || !id || !tokens || !preview) return [];
  const line = fitted(
    [
      span(` ${number.text.padStart(String(length).length)} `, 'faint'),
      span(`${visibleLine(role.text).padEnd(10)} `, TONES[role.text] ?? 'plain'),
      span(cells >= WIDE ? visibleLine(id.text).slice(0, 8).padEnd(9) : '', 'id'),
      span(`${tokens.text.padStart(6)} `, 'faint'),
      span(visibleLine(preview.text)),
    ],
    cells,
    ruler,
  );
  return index === inside.cursor && focus === 'envelope' ? underCursor(line, true) : line;
}

/** From so many cells on, ids are shown. */
const WIDE = 56;

/** The names that an entry of the same message has in the list. */
const TONES: Readonly<Record<string, Tone>> = { user: 'messages', assistant: 'strong', toolResult: 'tools' };
