import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { buildSessionIndex } from '#analysis/listing/session-index.js';
import { formatId } from '#session/heads/head.js';
import { replaceSession } from '#ui/explore/file-change.js';
import { endSearch } from '#ui/explore/list-search.js';
import { type MouseInput, onMouse } from '#ui/explore/on-mouse.js';
import { moveToMatch } from '#ui/explore/search.js';
import { type ExplorerState, findSelectedEntry } from '#ui/explore/state.js';
import { resizeScreen, retryJump, showOutput } from '#ui/explore/update.js';
import { readKeys } from '../../../src/ui/explore/ink/render-app.js';
import { Log } from '../../fixtures/log.js';
import { after, fixture, press, sessionIn, stateOf, textOf, withEnvelope } from '../../support/exploring.js';

const weather = await fixture('weather.jsonl');
const file = 'fixtures/weather.jsonl';

function idAt(state: ExplorerState): string | null {
  return formatId(state.sessionIndex.session.tree.heads.at(findSelectedEntry(state))?.id);
}

/** The state with the cursor on an entry. */
function at(id: string, state = stateOf(weather)): ExplorerState {
  const index = weather.tree.heads.find(id)?.index ?? -1;
  return after(state, (each) => moveToMatch(each, index)).state;
}

describe('moving', () => {
  it('begins at the leaf and goes line by line', () => {
    const state = stateOf(weather);
    expect(idAt(state)).toBe('e0f4d7b6');
    for (const [up, down] of [
      ['up', 'down'],
      ['k', 'j'],
    ]) {
      const above = press(state, up!).state;
      expect(idAt(above)).toBe('5be19c02');
      expect(idAt(press(above, down!).state)).toBe('e0f4d7b6');
    }
  });

  it('never leaves the list', () => {
    for (const keys of [
      ['g', 'k'],
      ['G', 'j'],
      ['home', 'pageup'],
      ['end', 'pagedown', ' ', 'ctrl-d'],
    ]) {
      const { state } = press(stateOf(weather), ...keys);
      expect(state.list.cursor).toBe(keys[0] === 'g' || keys[0] === 'home' ? 0 : state.rows.length - 1);
    }
  });

  it('goes from turn to turn', () => {
    const turns: (string | null)[] = [];
    for (let state = press(stateOf(weather), 'g').state, before = -1; before !== state.list.cursor;) {
      before = state.list.cursor;
      ({ state } = press(state, '}'));
      turns.push(idAt(state));
    }
    expect(turns.slice(0, 3)).toEqual(['8e9bdbae', 'fa891960', '83c432d8']);
    expect(idAt(press(at('6379529a'), '{').state)).toBe('83c432d8');
  });

  it('keeps the entry when filters and listings change', () => {
    let state = at('6379529a');
    const filters = [];
    for (let count = 0; count < 5; count += 1) {
      ({ state } = press(state, 'f'));
      filters.push(state.filter);
    }
    expect(filters).toEqual(['no-tools', 'user-only', 'labeled-only', 'all', 'default']);
    expect([idAt(state), press(state, 'F').state.filter]).toEqual(['6379529a', 'all']);
    const log = press(at('6379529a'), 't').state;
    expect([log.listing, idAt(log)]).toEqual(['log', '6379529a']);
    expect(idAt(press(log, 't').state)).toBe('6379529a');
  });
});

describe('a command that shows more', () => {
  const runs = (state: ExplorerState, ...keys: readonly string[]): unknown => press(state, ...keys).effects;
  const planned = (state: ExplorerState, isOk = true, text = 'would append 1 entry'): ExplorerState =>
    after(state, (each) => showOutput(each, [[{ text, tone: 'plain' }]], isOk)).state;

  it.each([
    ['c', ['cache', file, '6379529a']],
    ['s', ['status', file, '6379529a']],
    ['p', ['prune', file, '--at', '6379529a', '--zone', 'red', '--dry-run']],
    ['x', ['compact', file, '--at', '6379529a', '--dry-run']],
  ])('%s', (key, argv) => {
    expect(runs(at('6379529a'), key)).toEqual([{ kind: 'run', argv }]);
  });

  it.each(['6cea225a', '23acc365'])('p and x at %s plan after the results of its calls', (id) => {
    const opened = press(at(id), 'x');
    expect(opened.effects).toEqual([{ kind: 'run', argv: ['compact', file, '--at', '23acc365', '--dry-run'] }]);
    expect(opened.state.notice).toBe(
      id === '23acc365' ? null : 'planned after the results of this answer, which stay with their calls',
    );
    expect(runs(at(id), 'p')).toMatchObject([
      { argv: ['prune', file, '--at', '23acc365', '--zone', 'red', '--dry-run'] },
    ]);
  });

  it('plans after all results of parallel calls, at the leaf without naming it', async () => {
    const calls = ['t1', 't2'].map((id) => ({ type: 'toolCall', id, name: 'read', arguments: {} }));
    const result = (toolCallId: string) => ({ role: 'toolResult', toolCallId, toolName: 'read', content: [] });
    const log = new Log('calls')
      .user('u1', 'go')
      .entry('a1', 'message', { message: { role: 'assistant', content: calls } });
    log.entry('r1', 'message', { message: result('t1') }).entry('l1', 'custom', { customType: 'x' });
    log.entry('r2', 'message', { message: result('t2') });
    const argvAt = async (text: string): Promise<unknown> => {
      const state = stateOf(await sessionIn(text));
      const { index } = state.sessionIndex.session.tree.heads.find('a1')!;
      return press(after(press(state, 'F').state, (each) => moveToMatch(each, index)).state, 'x').effects;
    };
    expect(await argvAt(log.text())).toMatchObject([{ argv: ['compact', 'session.jsonl', '--dry-run'] }]);
    expect(await argvAt(log.user('u2', 'thanks').text())).toMatchObject([
      { argv: ['compact', 'session.jsonl', '--at', 'r2', '--dry-run'] },
    ]);
  });

  it('w says why there is nothing to write', () => {
    const compacted = press(planned(press(at('6379529a'), 'x').state, false), 'w').state;
    expect([compacted.question, compacted.notice]).toEqual([null, 'there is nothing to write: press - to keep less']);
    const pruned = press(planned(press(at('6379529a'), 'p').state, true, 'nothing to prune'), 'w').state;
    expect(pruned.notice).toBe('there is nothing to write: press + to prune more');
    const undone = press(planned(press(stateOf(weather), 'u').state, false), 'w').state;
    expect(undone.notice).toBe('there is nothing to write');
  });

  it('takes the limit that was given', () => {
    expect(runs({ ...stateOf(weather), window: { limit: 5000 } }, 'p')).toEqual([
      { kind: 'run', argv: ['prune', file, '--limit', '5000', '--dry-run'] },
    ]);
  });

  it('l, at a compaction and below it only', () => {
    expect(runs(at('af810455'), 'l')).toEqual([{ kind: 'run', argv: ['loss', file, 'af810455', '--full'] }]);
    expect(runs(at('21635a4e'), 'l')).toEqual([{ kind: 'run', argv: ['loss', file, '21635a4e', '--full'] }]);
    expect(press(at('6379529a'), 'l')).toMatchObject({
      state: { notice: expect.stringMatching(/no compaction/) as string },
    });
  });

  it('d marks, compares with another entry, and takes the mark back', () => {
    const marked = press(at('8e9bdbae'), 'd').state;
    expect(textOf(marked)).toContain('◆');
    expect(runs(at('c729368e', marked), 'd')).toEqual([{ kind: 'run', argv: ['diff', file, '8e9bdbae', 'c729368e'] }]);
    expect(press(marked, 'd').state.mark).toBe(null);
    expect(press(marked, 'escape').state.mark).toBe(null);
  });

  it('shows what was printed, made safe, until it is left', () => {
    const opened = press(at('6379529a'), 'c').state;
    expect(textOf(opened)).toContain('running …');
    expect(press(opened, 'q').effects).toEqual([{ kind: 'stop' }]);
    const line = [{ text: 'all is well', tone: 'plain' }] as const;
    const shown = after(opened, (each) => showOutput(each, [line], true)).state;
    expect(textOf(shown)).toContain('all is well');
    expect(press(shown, 'escape')).toMatchObject({ state: { page: null }, effects: [] });
  });

  it('is printed again for another width, but never written again', () => {
    const narrow = (each: ExplorerState) => resizeScreen(each, { columns: 60, rows: 24 });
    const lower = (each: ExplorerState) => resizeScreen(each, { columns: 80, rows: 20 });
    const opened = press(at('6379529a'), 'c').state;
    const lines = Array.from({ length: 90 }, () => [{ text: 'a line', tone: 'plain' } as const]);
    const page = press(after(opened, (each) => showOutput(each, lines, true)).state, 'G').state;
    expect(after(page, narrow).effects).toEqual([{ kind: 'run', argv: ['cache', file, '6379529a'] }]);
    const shorter = after(page, narrow, (each) => showOutput(each, lines.slice(0, 30), true)).state;
    expect(shorter.page?.top).toBe(10);
    const written = press(planned(press(at('6379529a'), 'x').state), 'w', 'y').state;
    for (const [state, size] of [
      [page, lower],
      [written, narrow],
      [press(at('6379529a'), 'e').state, narrow],
      [press(at('6379529a'), '?').state, narrow],
    ] as const)
      expect(after(state, size).effects).toEqual([]);
  });

  it('selects a line that names an entry with Tab, and goes to that entry with Enter', () => {
    const lines = ['2 breaks', '#10  38c12ed4  edit of 8f60a942', '', '#12  3007df42  compaction'].map((text) => {
      return [{ text, tone: 'plain' }] as const;
    });
    const page = after(press(at('6379529a'), 'c').state, (each) => showOutput(each, lines, true)).state;
    expect(textOf(page)).toContain('Tab select an entry · Enter go to it');
    const second = press(page, 'tab', 'tab').state;
    expect(press(page, 'shift-tab').state.page?.found).toBe(second.page?.found);
    // The filter hides answers that only call tools.
    const hidden = press(second, 'enter').state;
    expect([idAt(hidden), hidden.page, hidden.filter]).toEqual(['3007df42', null, 'all']);
    expect(textOf(hidden)).toContain('its filter hid this one');
    const listed = press(press(hidden, 'c').state, 'enter').state;
    expect(listed.page).not.toBe(null);
    const back = after(listed, (each) => showOutput(each, [[{ text: 'at 6379529a', tone: 'plain' }]], true));
    expect(idAt(press(back.state, 'tab', 'enter').state)).toBe('6379529a');
  });

  it('goes from the request that a page was opened for to the cause that its line names', () => {
    const lines = [[{ text: '#12  3007df42  compaction  2,803  af810455: message 1', tone: 'plain' } as const]];
    const opened = after(press(at('3007df42', press(stateOf(weather), 'F').state), 'c').state, (each) =>
      showOutput(each, lines, true),
    );
    expect(idAt(press(opened.state, 'enter').state)).toBe('af810455');
    const wrapped = ['  #12  3007df42  compaction', '  460', '    af810455: message 1', '', '  #13  9662df4f  edit'];
    const narrow = wrapped.map((text) => [{ text, tone: 'plain' } as const]);
    const page = press(opened.state, 'q', 'c').state;
    expect(idAt(press(after(page, (each) => showOutput(each, narrow, true)).state, 'enter').state)).toBe('af810455');
    const other = after(press(at('6379529a'), 'c').state, (each) => showOutput(each, lines, true));
    expect(idAt(press(other.state, 'tab', 'enter').state)).toBe('3007df42');
  });

  it('opens the cache at the request under the cursor', () => {
    const lines = Array.from({ length: 40 }, (_, line) => [
      { text: line === 30 ? '#12  6379529a  ttl' : `line ${line}`, tone: 'plain' } as const,
    ]);
    const { page } = after(press(at('6379529a'), 'c').state, (each) => showOutput(each, lines, true)).state;
    expect(page).toMatchObject({ found: 30, top: 13 });
    expect(after(press(at('8e9bdbae'), 'c').state, (each) => showOutput(each, lines, true)).state.page?.found).toBe(
      null,
    );
  });

  it('draws the Markdown of an entry, and shows it as it is stored with r', async () => {
    const log = new Log('talk').user('u1', 'Why?').assistant('a1', 'It is **late**:\n\n- first\n- second');
    const opened = press(stateOf(await sessionIn(log.text())), 'e').state;
    expect(textOf(opened)).toContain('It is late:');
    const raw = press(opened, 'r').state;
    expect(textOf(raw)).toContain('It is **late**:');
    expect(textOf(press(raw, 'r').state)).toBe(textOf(opened));
  });

  it('w asks before a plan is written, and only a plan', () => {
    const asked = press(planned(press(at('6379529a'), 'x').state), 'w').state;
    expect(textOf(asked)).toContain('Append it to the session?  y yes · n no · q quit and print the command');
    const argv = ['compact', file, '--at', '6379529a'];
    const written = press(asked, 'y');
    expect(written.effects).toEqual([{ kind: 'run', argv: [...argv, '--yes'] }]);
    // Leaving the page does not stop what writes.
    expect(press(written.state, 'q').effects).toEqual([]);
    expect(press(asked, 'n')).toMatchObject({ effects: [], state: { question: null, notice: 'nothing was written' } });
    expect(press(asked, 'q').effects).toEqual([{ kind: 'quit', say: `ctx compact ${file} --at 6379529a` }]);
    const plan = press(at('6379529a'), 'x').state;
    const empty = planned(plan, true, 'nothing to prune in zone green: the policy does nothing there');
    for (const state of [plan, planned(plan, false), empty]) expect(press(state, 'w').state.question).toBe(null);
    expect(press(plan, 'w').state.notice).toBe('not done yet: wait for the plan');
    expect(press(planned(press(at('6379529a'), 'c').state), 'w').state.question).toBe(null);
  });

  it('w writes nothing to a session of another agent', async () => {
    const plan = planned(press(stateOf(await fixture('agents/claude-code/session.jsonl')), 'x').state);
    expect(textOf(plan)).not.toContain('w write it');
    expect(textOf(plan)).toContain('w why it is read-only');
    const { question, notice } = press(plan, 'w').state;
    expect([question, notice]).toEqual([null, expect.stringMatching(/^a session of Claude Code is never written to/)]);
  });

  it('w writes nothing to a session of an old version', async () => {
    const plan = planned(press(stateOf(await fixture('version-1.jsonl')), 'x').state);
    expect(textOf(plan)).not.toContain('w write it');
    expect(textOf(plan)).toContain('w why it is read-only');
    const { question, notice } = press(plan, 'w').state;
    expect([question, notice]).toEqual([null, expect.stringMatching(/^a session of version 1 is never appended to/)]);
  });

  it('+ and - plan to keep or to prune more or less', () => {
    const less = press(planned(press(at('6379529a'), 'x').state, false), '-');
    const argv = ['compact', file, '--at', '6379529a', '--keep-recent', '10000', '--dry-run'];
    expect(less.effects).toEqual([{ kind: 'run', argv }]);
    expect(press(planned(less.state), '+').effects).toMatchObject([{ argv: argv.with(5, '20000') }]);
    expect(press(planned(press(at('6379529a'), 'c').state), '-').effects).toEqual([]);
    const prune = ['prune', file, '--at', '6379529a', '--zone', 'yellow', '--dry-run'];
    const zone = (name: string) => planned(press(at('6379529a'), 'p').state, true, `prune     zone ${name}: turns`);
    const plan = press(zone('red'), '-');
    expect(plan.effects).toEqual([{ kind: 'run', argv: prune }]);
    expect(press(planned(plan.state, true, 'prune     zone yellow: turns'), '+').effects).toMatchObject([
      { argv: prune.with(5, 'red') },
    ]);
    expect(press(zone('red'), '+').effects).toMatchObject([{ argv: prune.with(5, 'compact') }]);
    expect(press(zone('compact'), '+')).toMatchObject({ effects: [], state: { notice: 'this zone prunes the most' } });
    expect(press(zone('green'), '-')).toMatchObject({ effects: [], state: { notice: 'this zone prunes the least' } });
  });

  it('u plans to undo the change at the cursor, or the latest one before it', () => {
    expect(runs(at('c7a10e55'), 'u')).toEqual([{ kind: 'run', argv: ['revert', file, 'c7a10e55', '--dry-run'] }]);
    expect(runs(at('21635a4e'), 'u')).toMatchObject([{ argv: ['revert', file, 'af810455', '--dry-run'] }]);
    expect(press(at('8e9bdbae'), 'u').state.notice).toBe(
      'no compaction, transform or edit at or before this entry: select one',
    );
  });
});

describe('the equivalent command line', () => {
  const shown = (state: ExplorerState): string => textOf(state).split('\n').at(-2)!.replace(' $ ', '');

  it.each([
    [[], `ctx tree ${file}`],
    [['f'], `ctx tree ${file} --filter no-tools`],
    [['t'], `ctx log ${file} 6379529a`],
    [['tab'], `ctx show ${file} 6379529a --part messages`],
    [['3'], `ctx show ${file} 6379529a --part tools`],
    [['e'], `ctx cat ${file} 6379529a`],
    [['tab', 'g', 'e'], `ctx show ${file} 6379529a --message 1 --full`],
    [['?'], `ctx explore ${file}`],
  ])('after %j', (keys, line) => {
    expect(shown(press(withEnvelope(at('6379529a')), ...keys).state)).toBe(line);
  });

  it('quotes what a shell would take apart', async () => {
    const session = await sessionIn(new Log('odd').user("a'; rm -rf ~", 'hello').text(), 'my session.jsonl');
    const { state } = press(stateOf(session), 't');
    expect(shown(state)).toBe(String.raw`ctx log 'my session.jsonl' 'a'\''; rm -rf ~'`);
  });
});

describe('taking along', () => {
  it('y the id, Y the command, o all of it', () => {
    const state = at('6379529a');
    expect(press(state, 'y').effects).toEqual([{ kind: 'copy', text: '6379529a' }]);
    expect(press(state, 'Y').effects).toEqual([{ kind: 'copy', text: `ctx tree ${file}` }]);
    expect(press(state, 'o').effects).toEqual([{ kind: 'pager', argv: ['cat', file, '6379529a'] }]);
    expect(press(withEnvelope(state), '2', 'o').effects).toEqual([
      { kind: 'pager', argv: ['show', file, '6379529a', '--part', 'system', '--full'] },
    ]);
    expect(press(state, 'c', 'y').effects.at(-1)).toEqual({
      kind: 'copy',
      text: `ctx cache ${file} 6379529a`,
    });
  });

  it('says so where there is no id to name', async () => {
    const text = `${new Log('odd').text()}${JSON.stringify({ type: 'message', message: { role: 'user', content: 'x' } })}\n`;
    const state = stateOf(await sessionIn(text));
    expect(press(state, 'c')).toMatchObject({
      effects: [],
      state: { notice: expect.stringMatching(/has no id/) as string },
    });
  });
});

describe('searching', () => {
  const typed = (text: string): readonly string[] => ['/', ...text.split(''), 'enter'];

  it('types, corrects and cancels', () => {
    const state = press(stateOf(weather), '/', 'a', 'b', 'backspace', 'q').state;
    expect([state.prompt?.text, textOf(state).split('\n').at(-1)]).toEqual(['aq', ' /aq']);
    expect(press(state, 'escape').state.prompt).toBe(null);
    expect(press(state, 'ctrl-u', 'backspace').state.prompt).toBe(null);
  });

  it('asks for the next and the one before, of what was searched last', () => {
    const { state, effects } = press(stateOf(weather), ...typed('Temporal'), 'n', 'N', ...typed(''));
    const from = state.list.cursor;
    expect(effects.map((effect) => effect)).toEqual(
      [1, 1, -1, 1].map((step) => ({ kind: 'search', pattern: 'Temporal', from, step })),
    );
    for (const elsewhere of [[], ['tab'], ['?']])
      expect(press(press(state, ...elsewhere).state, 'escape')).toMatchObject({
        effects: [{ kind: 'stop-search' }],
        state: { searching: null },
      });
  });

  it('counts the matches, and goes from one to the next without searching again', () => {
    const { state } = press(stateOf(weather), ...typed('auckland'));
    const [first = 0, second = 0] = [3, 9].map((row) => state.rows.indexAt(row));
    const done = after(
      state,
      (each) => moveToMatch(each, first),
      (each) => endSearch(each, [3, 9], null),
    ).state;
    expect(textOf(done)).toContain('/auckland 1/2');
    const next = press(done, 'n');
    expect([findSelectedEntry(next.state), next.effects]).toEqual([second, []]);
    expect(textOf(next.state)).toContain('/auckland 2/2');
    expect(findSelectedEntry(press(next.state, 'n').state)).toBe(first);
    expect(textOf(press(next.state, 'escape').state)).not.toContain('/auckland');
    expect(press(next.state, 'f', 'n').effects).toMatchObject([{ kind: 'search', pattern: 'auckland' }]);
  });

  it('shows the text around a match, and opens the entry there', () => {
    const index = weather.tree.heads.find('af810455')!.index;
    const { state } = after(press(stateOf(weather, 80, 10), ...typed('forecast')).state, (each) =>
      moveToMatch(each, index),
    );
    expect(state.notice).toMatch(/tomorrow's forecast/);
    const page = press(state, 'e').state.page!;
    expect(page.found).toBeGreaterThan(0);
    expect(textOf(press(state, 'e').state)).toMatch(/Entry .*\/forecast 1\/\d/);
  });

  it('goes back to earlier patterns', () => {
    const { state } = press(stateOf(weather), ...typed('one'), ...typed('two'), '/', 'up', 'up');
    expect([state.prompt?.text, state.searches]).toEqual(['one', ['two', 'one']]);
  });

  it('finds lines of a page', () => {
    const page = press(stateOf(weather, 80, 16), '?').state;
    const shown = press(page, ...typed('previous')).state;
    expect(textOf(shown).split('\n')[2]).toMatch(/previous turn/);
    expect(press(shown, 'n').state.page?.top).toBeGreaterThan(shown.page!.top);
    expect(press(page, ...typed('no such thing')).state.notice).toBe('no match for no such thing');
  });
});

it('names the session in the command below the screen by its short name, and copies its path', () => {
  const state = stateOf(weather, 80, 24);
  const names = { findHandle: () => '0198aaaa', shortenPath: (path: string) => path };
  const named = { ...state, look: { ...state.look, names } };
  expect(textOf(named).split('\n').at(-2)?.trimEnd()).toBe(' $ ctx tree 0198aaaa');
  expect(press(named, 'Y').effects).toContainEqual({ kind: 'copy', text: `ctx tree ${file}` });
});

it('a notice that is too long for its line takes that of the command, too', () => {
  const notice = 'no compaction, transform or edit at or before this entry: select one';
  const lines = (columns: number, rows: number): readonly string[] =>
    textOf({ ...stateOf(weather, columns, rows), notice })
      .split('\n')
      .slice(-2);
  expect(lines(80, 24)).toEqual([` $ ctx tree ${file}`, ` ${notice}`]);
  expect(lines(40, 10)).toEqual([' no compaction, transform or edit at or', ' before this entry: select one']);
  expect(lines(40, 9)[1]).toMatch(/^ no compaction.*…$/);
});

describe('jumps', () => {
  it('go to compactions, and report when there is none', () => {
    const { state } = press(stateOf(weather), '[', 'c');
    expect(idAt(state)).toBe('af810455');
    expect(textOf(press(state, ']').state)).toContain(']  then  b cache break');
    expect(press(state, ']', 'c').state.notice).toBe('no compaction after this entry: [c goes back');
    expect(press(state, ']', 'q')).toMatchObject({ effects: [], state: { jump: null } });
  });

  it('go to compactions that are transforms, once where an entry repeats the transform', async () => {
    const { state } = press(stateOf(await fixture('mixed/dual-written.jsonl')), '[', 'c');
    const { type } = state.sessionIndex.session.tree.heads.at(findSelectedEntry(state))!;
    expect([type, press(state, '[', 'c').state.notice]).toEqual([
      'context_transform',
      'no compaction before this entry: ]c goes on',
    ]);
  });

  it('go to cache breaks in both directions', async () => {
    const breaks = withEnvelope(stateOf(await fixture('cache-breaks.jsonl'), 120, 40));
    const back = press(breaks, '[', 'b').state;
    expect(back.notice).toMatch(/^cache break at request \d+ of \d+: [a-z ]+, .* tokens re-billed; c shows more$/);
    const first = press(breaks, 'g', ']', 'b').state;
    expect(findSelectedEntry(first)).toBeLessThanOrEqual(findSelectedEntry(back));
    expect(press(first, '[', 'b').state.notice).toMatch(/none before this entry: \]b goes on$/);
    expect(press(withEnvelope(stateOf(weather)), ']', 'b').state.notice).toMatch(/no cache break|none after/);
  });

  it('lead to the cause of a cache break whose answer a filter hides', async () => {
    const users = press(withEnvelope(stateOf(await fixture('cache-breaks.jsonl'), 120, 40)), 'f', 'f').state;
    const miss = press(users, '[', 'b').state;
    const roleOf = (id: unknown): unknown => miss.sessionIndex.session.tree.heads.find(String(id))?.role;
    const atOf = (state: ExplorerState): unknown => {
      const [effect] = press(state, 'c').effects;
      return effect?.kind === 'run' ? effect.argv.at(-1) : null;
    };
    expect([roleOf(idAt(miss)), roleOf(atOf(miss))]).toEqual(['user', 'assistant']);
    const moved = press(miss, 'up').state;
    expect(atOf(moved)).toBe(idAt(moved));
  });

  it('wait until the requests are compared', async () => {
    const state = stateOf(await fixture('cache-breaks.jsonl'), 120, 40);
    const { sessionIndex: known } = state;
    const waiting = press(state, '[', 'b').state;
    expect([waiting.notice, findSelectedEntry(waiting)]).toEqual([
      'finding cache breaks … 0%',
      findSelectedEntry(state),
    ]);
    for (const _ of known.requests.compare(known.activePath));
    const news = retryJump;
    expect(after(waiting, news).state).toEqual(press(state, '[', 'b').state);
    expect(findSelectedEntry(after(press(waiting, 'escape').state, news).state)).toBe(findSelectedEntry(state));
  });

  it('search for errors in the background', () => {
    expect(press(stateOf(weather), '[', 'e').effects).toMatchObject([{ kind: 'search', pattern: null, step: -1 }]);
  });
});

describe('the mouse', () => {
  const mouse = (state: ExplorerState, kind: MouseInput['kind'], column: number, row: number) =>
    after(state, (each) => onMouse(each, { kind, column, row }));
  const state = withEnvelope(stateOf(weather));

  it('selects a row, and opens it at the second click', () => {
    const once = mouse(press(state, 'tab').state, 'press', 5, 4).state;
    expect([once.focus, once.list.cursor, once.page]).toEqual(['list', once.list.top + 2, null]);
    expect(mouse(once, 'press', 5, 4).state.page).toMatchObject({ title: 'Entry' });
    const message = mouse(once, 'press', 60, 3).state;
    expect([message.focus, message.inside.cursor]).toEqual(['envelope', message.inside.top + 1]);
    expect(mouse(message, 'press', 60, 3).state.page).toMatchObject({ title: 'Message 2' });
  });

  it('selects a row of a page with an entry, and goes there at the second click', () => {
    const texts = ['2 breaks', '#10  38c12ed4  edit of', `${' '.repeat(15)}8 entries`, '', '#12  6379529a  compaction'];
    const lines = texts.map((text) => [{ text, tone: 'plain' } as const]);
    const page = after(press(state, 'c').state, (each) => showOutput(each, lines, true)).state;
    for (const [row, line] of [
      [1, null],
      [2, null],
      [3, 1],
      [4, 1],
      [5, null],
      [6, 4],
      [22, null],
    ] as const)
      expect(mouse(page, 'press', 30, row).state.page?.found).toBe(line);
    const once = mouse(page, 'press', 30, 6).state;
    expect(idAt(mouse(once, 'press', 3, 6).state)).toBe('6379529a');
  });

  it('selects the request of a bar, also one that the filter hides', () => {
    const bars =
      textOf(state)
        .split('\n')
        .findIndex((line) => line.includes('─ Context')) + 1;
    const column = (request: number): number => 1 + (request - 1) * 3;
    const third = mouse(state, 'press', column(3), bars + 1).state;
    expect(textOf(third)).toContain('at request 3 of 14');
    expect(idAt(third)).toBe('6cea225a');
    expect(mouse(state, 'press', column(3) + 2, bars + 2).state.list).toEqual(third.list);
    const second = mouse(press(state, 'f', 'f').state, 'press', column(5), bars).state;
    expect([second.filter, press(second, 'c').effects]).toMatchObject([
      'user-only',
      [{ argv: ['cache', file, 'c729368e'] }],
    ]);
    for (const [x, y] of [
      [0, bars],
      [column(15), bars],
      [column(3), bars - 1],
      [column(3), bars + 3],
    ] as const)
      expect(mouse(state, 'press', x, y).state).toEqual(state);
  });

  it('opens a tab by its name', () => {
    const column = textOf(state).split('\n')[1]!.indexOf('tools');
    expect(mouse(state, 'press', column, 1).state).toMatchObject({ focus: 'envelope', tab: 'tools' });
  });

  it('scrolls what is under it', () => {
    const up = mouse(state, 'wheel-up', 3, 5).state;
    expect(up.list.cursor).toBe(state.list.cursor - 3);
    expect(mouse(up, 'wheel-down', 60, 5).state.list.cursor).toBe(up.list.cursor);
    const page = press(stateOf(weather, 80, 12), '?').state;
    expect(mouse(page, 'wheel-down', 3, 5).state.page?.top).toBe(3);
  });

  it('drags the divider as far as both panes can be read', () => {
    const { state: moved } = after(
      state,
      ...(
        [
          ['press', 39],
          ['drag', 50],
          ['release', 50],
          ['drag', 10],
        ] as const
      ).map(
        ([kind, column]) =>
          (each: ExplorerState) =>
            onMouse(each, { kind, column, row: 5 }),
      ),
    );
    expect(textOf(moved).split('\n')[5]![50]).toBe('│');
    const least = mouse(mouse(state, 'press', 39, 5).state, 'drag', 1, 5).state;
    expect(textOf(least).split('\n')[5]![20]).toBe('│');
  });

  it('is turned off, so that the terminal selects text', () => {
    const off = press(state, 'm');
    expect([off.state.hasMouse, off.effects]).toEqual([false, [{ kind: 'report-mouse', isOn: false }]]);
    expect(press(off.state, 'm').state.hasMouse).toBe(true);
  });
});

describe('a session that grows', () => {
  const log = (): Log => new Log('grows').user('a0000001', 'one').user('a0000002', 'two');

  it('is followed only by a cursor at its end', async () => {
    const before = stateOf(await sessionIn(log().text()));
    const known = buildSessionIndex(
      await sessionIn(log().user('a0000003', 'three').text()),
      () => 0,
      before.sessionIndex,
    );
    const grown = (each: ExplorerState) => replaceSession(each, known, false);
    expect(idAt(after(before, grown).state)).toBe('a0000003');
    expect(idAt(after(press(before, 'k').state, grown).state)).toBe('a0000001');
  });

  it('ends a search, which would not find the end', async () => {
    const before = press(stateOf(await sessionIn(log().text())), '/', 'x', 'enter').state;
    const known = buildSessionIndex(
      await sessionIn(log().user('a0000003', 'three').text()),
      () => 0,
      before.sessionIndex,
    );
    const { state } = after(before, (each) => replaceSession(each, known, false));
    expect([state.searching, state.notice]).toEqual([null, 'the file has grown: press n to continue the search']);
    expect(press(state, 'n').effects).toMatchObject([{ kind: 'search', pattern: 'x' }]);
  });

  it('that was rewritten keeps the entry with the same id', async () => {
    const before = press(stateOf(await sessionIn(log().text())), 'k', 'd').state;
    const other = new Log('other').user('b0000001', 'x').user('a0000001', 'y').user('b0000002', 'z');
    const known = buildSessionIndex(await sessionIn(other.text()), () => 0);
    const { state } = after(before, (each) => replaceSession(each, known, true));
    expect([idAt(state), state.mark, state.notice]).toEqual(['a0000001', null, 'the file was rewritten']);
  });
});

describe('what a terminal sends', () => {
  const none = Object.fromEntries(
    'upArrow downArrow leftArrow rightArrow pageUp pageDown home end return escape tab backspace delete ctrl shift meta'
      .split(' ')
      .map((name) => [name, false]),
  ) as unknown as Key;

  it.each([
    ['', { upArrow: true }, ['up']],
    ['', { tab: true, shift: true }, ['shift-tab']],
    ['', { delete: true }, ['backspace']],
    ['c', { ctrl: true }, ['ctrl-c']],
    ['x', { meta: true }, []],
    ['jj/ä\r', {}, ['j', 'j', '/', 'ä', 'enter']],
    ['a\u0000b', {}, ['a', 'b']],
  ])('%j %j', (input, flags, keys) => {
    expect(readKeys(input, { ...none, ...flags })).toEqual(keys);
  });
});

it('q and Ctrl-C quit, Ctrl-Z waits', () => {
  expect(press(stateOf(weather), 'q').effects).toEqual([{ kind: 'quit', say: null }]);
  expect(press(stateOf(weather), '/', 'ctrl-c').effects).toEqual([{ kind: 'quit', say: null }]);
  expect(press(stateOf(weather), 'ctrl-z').effects).toEqual([{ kind: 'suspend' }]);
});

it('names an entry so that its id is no flag', async () => {
  const session = await sessionIn(new Log('flags').user('--raw', 'hello').text());
  for (const keys of [['e'], ['t']]) expect(textOf(press(stateOf(session), ...keys).state)).toContain(' -- --raw');
});
