import { Box } from 'ink';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatShortAge } from '#base/duration.js';
import { formatBytes, formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { formatNameFirst } from '#context/words/tool-call.js';
import { span } from '../../doc/doc.js';
import type { ScreenProps } from '../full-screen.js';
import type { ScreenLine } from '../lines.js';
import { measurePicker, type PickerSession, type PickerState, PREVIEW_ROWS } from '../picker-state.js';
import { renderPrompt } from '../prompt.js';
import { LookContext, Pane, ScreenRow } from './panes.js';

/** The list of sessions, with a preview of the one under the cursor. */
export function Picker({ view: state }: ScreenProps<PickerState>) {
  const { size, found, list, query, notice } = state;
  const { height, hasPreview } = measurePicker(state);
  const cells = size.columns;
  return (
    <LookContext value={state.look}>
      <Box flexDirection="column" width={cells} height={size.rows}>
        <Box height={height + 1}>
          <Pane
            title={renderTitle(state)}
            lines={renderRows(state, height)}
            cells={cells}
            selected={list.cursor - list.top}
          />
        </Box>
        {hasPreview && <Preview state={state} session={found[list.cursor]} />}
        <ScreenRow line={renderPrompt(' > ', query)} cells={cells} />
        <ScreenRow line={notice === null ? KEYS : [span(` ${toVisibleLine(notice)}`, 'warning')]} cells={cells} />
      </Box>
    </LookContext>
  );
}

const KEYS: ScreenLine = [span(' Enter open · ↑ ↓ select · type to search · Esc quit', 'faint')];

function renderTitle({ sessions, found, isLoading }: PickerState): ScreenLine {
  return [
    span('Sessions', 'strong'),
    span(
      ` ${found.length === sessions.length ? '' : `${formatCount(found.length)}/`}${formatCount(sessions.length)}`,
      'faint',
    ),
    span(isLoading ? ' loading' : '', 'warning'),
  ];
}

function renderRows({ found, list, isLoading, size }: PickerState, height: number): readonly ScreenLine[] {
  if (found.length === 0) return [[span(isLoading ? '' : ' no session', 'faint')]];
  return found
    .slice(list.top, list.top + height)
    .map((session, at) => renderSessionRow(session, list.top + at === list.cursor, size.columns));
}

const CELLS_OF_PROJECT = 24;
/** The width of a screen whose rows name the agent and the project. */
const LEAST_FOR_PLACE = 64;

function renderSessionRow(
  { age, agent, project, title }: PickerSession,
  isSelected: boolean,
  columns: number,
): ScreenLine {
  const hasPlace = columns >= LEAST_FOR_PLACE;
  return [
    span(isSelected ? '›' : ' '),
    span(`${formatShortAge(age).padStart(4)} `, 'faint'),
    span(hasPlace ? agent.padEnd(12).slice(0, 12) : '', 'id'),
    span(hasPlace ? ` ${cutProject(toVisibleLine(project))} ` : '', 'faint'),
    span(toVisibleLine(title)),
  ];
}

/** The end of a path, whose last folders tell projects apart. */
function cutProject(project: string): string {
  const text = project.length > CELLS_OF_PROJECT ? `…${project.slice(1 - CELLS_OF_PROJECT)}` : project;
  return text.padEnd(CELLS_OF_PROJECT);
}

/** The words and the figures of a session. */
function Preview({ state, session }: { readonly state: PickerState; readonly session: PickerSession | undefined }) {
  return (
    <Box height={PREVIEW_ROWS}>
      <Pane title={[span('Preview')]} lines={session ? renderPreview(state, session) : []} cells={state.size.columns} />
    </Box>
  );
}

function renderPreview({ words, look }: PickerState, session: PickerSession): readonly ScreenLine[] {
  const { first, asked, answered } = words.get(session.file) ?? {};
  const file = look.names?.shortenPath(session.file) ?? session.file;
  const context = `context ${formatMark(session)}${formatShortCount(session.contextTokens)}`;
  const lines: readonly ScreenLine[] = [
    [span(` ${toVisibleLine(first ?? session.title)}`, 'strong')],
    renderWords('user', asked),
    renderWords('assistant', answered),
    [span(` ${session.agent} · ${toVisibleLine(session.model)} · ${toVisibleLine(session.project)}`)],
    [
      span(` ${pluralize(session.entries, 'entry', 'entries')} · ${formatBytes(session.bytes)}`),
      span(` · ${context} · ${describeUsageCost(session)}`),
    ],
    [span(` ${toVisibleLine(formatNameFirst(file))}`, 'faint')],
  ];
  return lines.filter(({ length }) => length > 0);
}

/** The mark of an estimated size. */
function formatMark({ contextTokensSource }: PickerSession): string {
  return contextTokensSource === 'estimated' ? '~' : '';
}

function renderWords(name: string, text: string | null | undefined): ScreenLine {
  return text ? [span(` ${name} `, 'faint'), span(toVisibleLine(text))] : [];
}
