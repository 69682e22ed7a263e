import { Box } from 'ink';
import { span } from '../../doc/doc.js';
import { listTitle } from '../entry-lines.js';
import { envelopeTitle } from '../envelope-lines.js';
import { layout } from '../layout.js';
import type { Line } from '../lines.js';
import { insideExtent } from '../page.js';
import type { Scroll } from '../scroll.js';
import type { ScreenView } from '../view.js';
import { Row, Rule } from './row.js';

/** List and envelope, side by side where there is room. */
export function Panes({ view: { state, rows, inside: lines } }: { readonly view: ScreenView }) {
  const { list, envelope, body } = layout(state);
  const isInList = state.focus === 'list' && state.rows.length > 0;
  const isInside = state.focus === 'envelope' && state.tab === 'messages' && insideExtent(state).length > 0;
  return (
    <Box height={body + 1}>
      {list > 0 && (
        <Pane title={listTitle(state)} lines={rows} cells={list} selected={isInList ? placeOf(state.list) : null} />
      )}
      {list > 0 && envelope > 0 && <Divider rows={body} />}
      {envelope > 0 && (
        <Pane
          title={envelopeTitle(state)}
          lines={lines}
          cells={envelope}
          selected={isInside ? placeOf(state.inside) : null}
        />
      )}
    </Box>
  );
}

/** The line of a cursor on the screen. */
function placeOf({ cursor, top }: Scroll): number {
  return cursor - top;
}

interface LinesProps {
  readonly title: Line;
  readonly lines: readonly Line[];
  readonly cells: number;
  /** The index of the highlighted line. */
  readonly selected: number | null;
}

/** A title and the lines below it. Only visible lines exist, so each keeps its place and changes its text. */
export function Pane({ title, lines, cells, selected }: LinesProps) {
  return (
    <Box flexDirection="column" width={cells}>
      <Rule title={title} cells={cells} />
      {lines.map((line, at) => (
        <Row key={at} line={line} cells={cells} isSelected={at === selected} />
      ))}
    </Box>
  );
}

function Divider({ rows }: { readonly rows: number }) {
  const signs = ['┬', ...Array.from({ length: rows }, () => '│')];
  return (
    <Box flexDirection="column" width={1}>
      {signs.map((sign, at) => (
        <Row key={at} line={[span(sign, 'faint')]} cells={1} />
      ))}
    </Box>
  );
}
