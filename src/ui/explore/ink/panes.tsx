import { Box } from 'ink';
import { span } from '../../doc/doc.js';
import { listTitle } from '../entry-lines.js';
import { envelopeTitle } from '../envelope-lines.js';
import { layout } from '../layout.js';
import type { Line } from '../lines.js';
import type { ScreenView } from '../view.js';
import { Row, Rule } from './row.js';

/** List and envelope, side by side where there is room. */
export function Panes({ view }: { readonly view: ScreenView }) {
  const { list, envelope, body } = layout(view.state);
  return (
    <Box height={body + 1}>
      {list > 0 && <EntryList view={view} cells={list} />}
      {list > 0 && envelope > 0 && <Divider rows={body} />}
      {envelope > 0 && <Envelope view={view} cells={envelope} />}
    </Box>
  );
}

interface PaneProps {
  readonly view: ScreenView;
  readonly cells: number;
}

function EntryList({ view: { state, rows }, cells }: PaneProps) {
  const { list, focus } = state;
  return (
    <Pane
      title={listTitle(state)}
      lines={rows}
      cells={cells}
      selected={focus === 'list' && state.rows.length > 0 ? list.cursor - list.top : null}
    />
  );
}

function Envelope({ view: { state, inside: lines }, cells }: PaneProps) {
  const { shown, inside, focus, tab } = state;
  const isChosen = focus === 'envelope' && tab === 'messages' && shown?.kind === 'ready';
  return (
    <Pane
      title={envelopeTitle(state)}
      lines={lines}
      cells={cells}
      selected={isChosen && lines.length > 0 ? inside.cursor - inside.top : null}
    />
  );
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
