import { visibleLine } from '#base/visible.js';
import { percent, shortCount } from '#base/words.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { span, type Tone } from '../doc/doc.js';
import { messageRow } from '../parts/overview.js';
import { shortSizeText } from '../parts/size-words.js';
import { revisionOf } from './command-line.js';
import { layout } from './layout.js';
import type { Line } from './lines.js';
import { insideExtent, tabLines } from './page.js';
import { type Shown, type ExplorerState, TABS } from './state.js';

export function envelopeTitle(state: ExplorerState): Line {
  const { tab, shown, known, building } = state;
  const names = TABS.flatMap((name) => {
    const isOpen = name === tab;
    // Inverse, so that it is visible without colours.
    return [{ ...span(name, isOpen ? 'plain' : 'faint'), isInverse: isOpen }, span(' ')];
  });
  const at = shown && revisionOf(known, shown.index);
  const tokens = shown?.kind === 'ready' ? ` ${usedText(shown.overview.meta)}` : '';
  return [
    ...names,
    span(building === null ? '' : `loading ${percent(building, 1)} `, 'warning'),
    span(at === null ? '' : visibleLine(at).slice(0, LONGEST_ID), 'id'),
    span(tokens, 'faint'),
  ];
}

const LONGEST_ID = 12;

/** `~139k`, or `~139k of 200k` where the context window is known. */
function usedText({ size, limit }: EnvelopeOverview['meta']): string {
  return `${shortSizeText(size)}${limit === null ? '' : ` of ${shortCount(limit)}`}`;
}

/** The visible lines of the open tab. */
export function envelopeLines(state: ExplorerState): readonly Line[] {
  const { tab, inside, shown } = state;
  const { body } = layout(state);
  if (shown === null) return [];
  if (shown.kind === 'failed') return [[span(` ${visibleLine(shown.message)}`, 'error')]];
  if (tab !== 'messages') return tabLines(state).slice(inside.top, inside.top + body);
  const { length } = insideExtent(state);
  if (length === 0) return [[span(' no messages', 'faint')]];
  const last = Math.min(length, inside.top + body);
  return Array.from({ length: last - inside.top }, (_, at) => messageLine(state, shown, inside.top + at));
}

function messageLine(state: ExplorerState, { overview }: Extract<Shown, { kind: 'ready' }>, index: number): Line {
  const { length } = insideExtent(state);
  const { isSpoken = false } = state;
  const [number, role, id, tokens, preview] = messageRow(overview.messages, index);
  if (!number || !role || !id || !tokens || !preview) return [];
  const isSelected = index === state.inside.cursor && state.focus === 'envelope';
  return [
    span(isSelected ? '›' : ' '),
    span(`${number.text.padStart(String(length).length)} `, 'faint'),
    span(`${visibleLine(role.text).padEnd(10)} `, TONES[role.text] ?? 'plain'),
    span(layout(state).envelope >= WIDE && !isSpoken ? visibleLine(id.text).slice(0, 8).padEnd(9) : '', 'id'),
    span(`${tokens.text.padStart(6)} ${isSpoken ? 'tokens ' : ''}`, 'faint'),
    span(visibleLine(preview.text)),
  ];
}

/** The minimum width in cells of an envelope with ids. */
const WIDE = 56;

/** The tones of roles, as in the list of entries. */
const TONES: Readonly<Record<string, Tone>> = { user: 'messages', assistant: 'strong', toolResult: 'tools' };
