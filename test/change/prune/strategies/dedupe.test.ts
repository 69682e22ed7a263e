import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { readMessageText } from '#analysis/facts/text.js';
import type { History } from '#change/prune/history.js';
import { FileReads, type ReadRange } from '#change/prune/read-ranges.js';
import dedupe from '#change/prune/strategies/dedupe.js';
import type { Entry } from '../../../support/entries.js';
import {
  answered,
  asked,
  call,
  historyFrom,
  proposed,
  prunedBy,
  result,
  type Said,
  talk,
} from '../../../support/history.js';
import { runs } from '../../../support/runs.js';

/** A call with its result, each in a turn of its own. */
interface Done {
  readonly tool: string;
  readonly args: Entry;
  readonly says: unknown;
  readonly rest?: Entry;
}

const PATH = 'src/weather/forecast.ts';

function lines(from: number, to: number, what = 'line'): string {
  return Array.from(
    { length: to - from + 1 },
    (_, at) => `${what} ${from + at} of the forecast, which is long enough`,
  ).join('\n');
}

function read(says: unknown, args: Entry = {}, rest: Entry = {}): Done {
  return { tool: 'read', args: { path: PATH, ...args }, says, rest };
}

function edit(rest: Entry = {}, path = PATH): Done {
  return { tool: 'edit', args: { path, oldText: 'a', newText: 'b' }, says: 'Successfully replaced the text.', rest };
}

function bash(command: string, says: string, rest: Entry = {}): Done {
  return { tool: 'bash', args: { command }, says, rest };
}

/** The nth call has the result `r<n>`, from 0 on; nothing stands below the last one but an answer, or one more turn. */
function session(done: readonly Done[], isOver = true): History {
  const said = done.flatMap(({ tool, args, says, rest }, at): readonly Said[] => [
    asked(`u${at}`, 'Go on.'),
    answered(`a${at}`, call(`c${at}`, tool, args)),
    result(`r${at}`, `c${at}`, says, { toolName: tool, ...rest }),
  ]);
  return historyFrom(
    talk(...said, answered('end', { type: 'text', text: 'Done.' }), ...(isOver ? [asked('last', 'Well.')] : [])),
  );
}

/** By the entry whose result goes, why. */
function reasons(...done: readonly Done[]): Readonly<Record<string, string>> {
  return reasonsIn(session(done));
}

function reasonsIn(history: History): Readonly<Record<string, string>> {
  return Object.fromEntries(
    proposed(dedupe, history).map(({ changes, reason }) => [
      String(history.items[changes[0]!.at]!.from.entryId),
      reason,
    ]),
  );
}

describe('dedupe', () => {
  it('keeps the last of results that are the same, and names it in the others', () => {
    const output = lines(1, 20, 'test');
    const history = session([bash('npm test', output), bash('npm test', output), bash('npm test', output)]);
    const changes = proposed(dedupe, history).map((proposal) => proposal.changes[0]!);
    expect(changes.map(({ message }) => message!['content'])).toEqual(
      ['r0', 'r1'].map((id) => [
        {
          type: 'text',
          text: `[bash: npm test: 20 lines, 910 B; repeated at r2; this result: ctx cat the-session ${id}]`,
        },
      ]),
    );
    expect(changes.map(({ at }) => at)).toEqual([2, 5]);
    const { content: _, ...before } = history.items[2]!.message;
    const { content: __, ...after } = changes[0]!.message!;
    expect(Object.entries(after)).toEqual(Object.entries(before));
  });

  it('takes results of different calls for the same where they say the same, pictures included', () => {
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const shot = { tool: 'screenshot', args: {}, says: [image] };
    expect(reasons(shot, { ...shot, args: { x: 1 } })).toEqual({ r0: 'repeated at r1' });
    expect(reasons(shot, { ...shot, says: [{ ...image, data: `${PIXEL}AAAA` }] })).toEqual({});
    expect(reasons(bash('date', lines(1, 20)), bash('date', lines(1, 21)))).toEqual({});
  });

  it('leaves short results alone, and those of the newest turn', () => {
    expect(reasons(bash('true', '(no output)'), bash('true', '(no output)'))).toEqual({});
    const again = [bash('npm test', lines(1, 20)), bash('npm test', lines(1, 20))];
    expect(reasonsIn(session(again, false))).toEqual({ r0: 'repeated at r1' });
  });

  describe('of a file that is read again', () => {
    it('leaves out what it said before', () => {
      expect(reasons(read(lines(1, 30)), read(lines(1, 25, 'new')), read(lines(1, 40, 'newer')))).toEqual({
        r0: 'read again at r2',
        r1: 'read again at r2',
      });
      expect(reasons(read(lines(1, 30)), read(lines(1, 40), { path: `./${PATH}` }))).toEqual({
        r0: 'read again at r1',
      });
      expect(reasons(read(lines(1, 30)), read(lines(1, 40), { path: 'forecast.ts' }))).toEqual({});
      expect(
        reasons(
          read(lines(1, 30), { path: undefined, file_path: PATH }),
          read(lines(1, 40), { path: undefined, filePath: PATH }),
        ),
      ).toEqual({ r0: 'read again at r1' });
    });

    it('keeps what a part does not show', () => {
      const whole = read(lines(1, 60));
      const part = read(lines(20, 49), { offset: 20, limit: 30 });
      expect(reasons(whole, part)).toEqual({});
      expect(reasons(part, whole)).toEqual({ r0: 'read again at r1' });
      expect(reasons(read(lines(25, 35), { offset: 25, limit: 11 }), part)).toEqual({ r0: 'read again at r1' });
      expect(reasons(read(lines(25, 50, 'old'), { offset: 25 }), part)).toEqual({});
      expect(reasons(read(lines(19, 30), { offset: 19, limit: 12 }), part)).toEqual({});
    });

    it('keeps the end of a file where a later result was cut off', () => {
      const cutOff = `${lines(1, 40)}\n\n[Showing lines 1-40 of 60 (50.0KB limit). Use offset=41 to continue.]`;
      const limited = `${lines(1, 40)}\n\n[20 more lines in file. Use offset=41 to continue.]`;
      for (const says of [cutOff, limited]) {
        expect(reasons(read(lines(1, 60)), read(says))).toEqual({});
        expect(reasons(read(lines(1, 39), { limit: 39 }), read(says))).toEqual({ r0: 'read again at r1' });
        expect(reasons(read(says), read(lines(1, 60)))).toEqual({ r0: 'read again at r1' });
        expect(reasons(read(lines(41, 50), { offset: 41, limit: 10 }), read(says))).toEqual({});
      }
    });

    it('takes a part that is named in unknown words for one that shows nothing else', () => {
      const odd = read(lines(10, 30), { start_line: 10, end_line: 30 });
      expect(reasons(read(lines(12, 20), { offset: 12, limit: 9 }), odd)).toEqual({});
      expect(reasons(odd, read(lines(10, 40), { offset: 10 }))).toEqual({});
      expect(reasons(odd, read(lines(1, 60)))).toEqual({ r0: 'read again at r1' });
      expect(reasons(read(lines(1, 5)), read(lines(1, 60), { offset: 'all' }))).toEqual({});
    });

    it('does not count a read that failed', () => {
      expect(reasons(read(lines(1, 60)), read(lines(1, 80, 'error'), {}, { isError: true }))).toEqual({});
      expect(reasons(read(lines(1, 60, 'error'), {}, { isError: true }), read(lines(1, 80)))).toEqual({});
    });

    it('names only a read that stays', () => {
      const other = { ...read(lines(1, 40)), args: { path: 'copy.ts' } };
      expect(reasons(read(lines(1, 30)), read(lines(1, 40)), other)).toEqual({ r1: 'repeated at r2' });
    });

    it('says which lines it were', () => {
      const history = session([read(lines(25, 35), { offset: 25, limit: 11 }), read(lines(1, 60))]);
      expect(readMessageText(proposed(dedupe, history)[0]!.changes[0]!.message!)).toBe(
        `[read ${PATH} (lines 25-35): 11 lines, 505 B; the file was read again at r1; this result: ctx cat the-session r0]`,
      );
    });
  });

  describe('of a file that is changed', () => {
    it('leaves out what it said before, also its parts', () => {
      expect(reasons(read(lines(1, 60)), read(lines(20, 40), { offset: 20, limit: 21 }), edit(), edit())).toEqual({
        r0: 'changed at r3',
        r1: 'changed at r3',
      });
      const write = { tool: 'write', args: { path: PATH, content: 'x' }, says: 'Successfully wrote 1 bytes.' };
      expect(reasons(read(lines(1, 60)), write)).toEqual({ r0: 'changed at r1' });
    });

    it('keeps what was read after that, and prefers to name it', () => {
      expect(reasons(read(lines(1, 60)), edit(), read(lines(1, 61)))).toEqual({ r0: 'read again at r2' });
      expect(reasons(edit(), read(lines(1, 61)))).toEqual({});
    });

    it('counts no change that failed, of another file, or made in the newest turn', () => {
      expect(reasons(read(lines(1, 60)), edit({ isError: true }))).toEqual({});
      expect(reasons(read(lines(1, 60)), edit({}, 'src/other.ts'))).toEqual({});
      expect(reasonsIn(session([read(lines(1, 60)), edit()], false))).toEqual({});
    });

    it('knows each file that was changed, though tools say the same of all', () => {
      expect(reasons(read(lines(1, 60)), edit(), edit({}, 'src/other.ts'))).toEqual({ r0: 'changed at r1' });
    });

    it('leaves alone what only searched in it', () => {
      expect(reasons({ tool: 'grep', args: { pattern: 'x', path: PATH }, says: lines(1, 30) }, edit())).toEqual({});
    });
  });

  it('leaves alone what was edited or shortened before, and does not name it', () => {
    const done = [read(lines(1, 60)), read(lines(1, 60))];
    for (const frozen of [2, 5]) {
      const history = session(done);
      const items = history.items.map((item) => ({ ...item, isFrozen: item.at === frozen }));
      expect(proposed(dedupe, { ...history, items })).toEqual([]);
    }
    const note = '[shortened; full data: ctx cat the-session r1]';
    expect(reasons(read(lines(1, 60)), read(`${lines(1, 60)}\n${note}`))).toEqual({});
  });

  it('finds what a look at all pairs finds, and is done after one time', () => {
    const part = fc.record({ first: fc.integer({ min: 1, max: 12 }), count: fc.integer({ min: 1, max: 12 }) });
    const arbitrary = fc.array(part, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(arbitrary, (parts) => {
        const ranges = parts.map(({ first, count }) => [first, first + count - 1] as const);
        const done = ranges.map(([first, last], nth) =>
          read(lines(first, last, `${nth} is the number of this read, and`), {
            offset: first,
            limit: last - first + 1,
          }),
        );
        const history = session(done);
        const gone = ranges.flatMap(([first, last], at) =>
          ranges.some(([from, to], later) => later > at && from <= first && to >= last) ? [`r${at}`] : [],
        );
        const found = reasonsIn(history);
        expect(Object.keys(found)).toEqual(gone.filter((id) => found[id] !== undefined));
        for (const id of gone) {
          const item = history.items.find(({ from }) => from.entryId === id)!;
          // Nothing is gained where the line that stands in is longer.
          expect(found[id] !== undefined || item.tokens < 60).toBe(true);
        }
        for (const reason of Object.values(found)) expect(Object.keys(found)).not.toContain(reason.split(' ').at(-1));
        const pruned = prunedBy(history, [dedupe]);
        expect(pruned.refusals).toEqual([]);
        expect(proposed(dedupe, pruned.history)).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  it('finds its way among very many parts of one file', () => {
    const reads = new FileReads<number>();
    const part = (first: number, last: number): ReadRange => ({ first, last, isWhole: false });
    for (let at = 1; at <= 200_000; at += 1) {
      reads.add(part(at, at + 3), at);
    }
    expect(reads.findCovering(part(177_777, 177_780))).toBe(177_777);
    expect(reads.findCovering(part(177_777, 177_781))).toBeNull();
  });
});
