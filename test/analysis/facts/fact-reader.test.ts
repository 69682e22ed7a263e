import { describe, expect, it } from 'vitest';
import { FactReader } from '#analysis/facts/fact-reader.js';
import { type Statement, toStatement } from '#analysis/facts/statements.js';

/** Says one thing after another, and gives what each of them establishes. */
class Talk {
  private readonly listener = new FactReader();
  private calls = 0;

  private take(saying: Statement): readonly string[] {
    return this.listener
      .take(saying)
      .map(({ kind, state, text, outcome }) => `${kind} ${state}: ${text}${outcome === null ? '' : ` → ${outcome}`}`);
  }

  user(content: string): readonly string[] {
    return this.take({ kind: 'message', message: { role: 'user', content } });
  }

  assistant(content: string, rest: object = {}): readonly string[] {
    return this.take({ kind: 'message', message: { role: 'assistant', content, stopReason: 'stop', ...rest } });
  }

  call(name: string, args: object): { result(text: string, isError?: boolean): readonly string[] } {
    this.calls += 1;
    const id = `c${this.calls}`;
    const content = [{ type: 'toolCall', id, name, arguments: args }];
    this.take({ kind: 'message', message: { role: 'assistant', content } });
    return {
      result: (text, isError = false) =>
        this.take({
          kind: 'message',
          message: { role: 'toolResult', toolCallId: id, content: text, isError },
        }),
    };
  }

  run(command: string, text: string, isError = false): readonly string[] {
    return this.call('bash', { command }).result(text, isError);
  }

  summary(kind: 'compaction' | 'branch', summary: string): readonly string[] {
    return this.take({ kind, summary });
  }

  /** A request and its answer. */
  turn(): readonly string[] {
    this.user('Show the next page.');
    return this.assistant('It is shown above.').filter((told) => !told.includes('Show the next page.'));
  }
}

const talk = (): Talk => {
  const started = new Talk();
  started.user('Fix it.');
  return started;
};

describe('what was asked', () => {
  it('is answered at the end of a turn, by words or without', () => {
    const one = talk();
    expect(one.assistant('I read.', { stopReason: 'toolUse' })).toEqual([]);
    expect(one.user('Run the tests.')).toEqual(['task open: Run the tests.']);
    expect(one.assistant('All of it works now.')).toEqual([
      'task done: Fix it.',
      'task done: Run the tests. → All of it works now.',
    ]);
    expect(one.assistant('All of it works now.')).toEqual([]);
    one.user('Run it.');
    expect(one.assistant('')).toEqual(['task done: Run it.']);
  });

  it('is forgotten where there is too much of it', () => {
    const many = new Talk();
    for (let nth = 0; nth < 201; nth += 1) many.user(`Fix page ${nth}.`);
    const answered = many.assistant('All of it works now.');
    expect([answered.length, answered[0], answered.at(-1)]).toEqual([
      200,
      'task done: Fix page 1.',
      'task done: Fix page 200. → All of it works now.',
    ]);
  });

  it('is the goal only where there is none', () => {
    expect(new Talk().user('Fix it.')).toEqual(['goal open: Fix it.', 'task open: Fix it.']);
    expect(talk().user('Fix that.')).toEqual(['task open: Fix that.']);
    const summed = new Talk();
    summed.summary('compaction', '## Goal\n- Be fast');
    expect(summed.user('Fix it.')).toEqual(['task open: Fix it.']);
    const branched = new Talk();
    branched.summary('branch', '## Goal\n- Be fast');
    expect(branched.user('Fix it.')).toEqual(['goal open: Fix it.', 'task open: Fix it.']);
  });
});

describe('a list', () => {
  it('takes the place of the one before: what it leaves out is gone', () => {
    const one = talk();
    expect(one.assistant('- [ ] Read\n- [ ] Write', { stopReason: 'toolUse' })).toEqual([
      'task open: Read',
      'task open: Write',
    ]);
    expect(one.assistant('- [x] Read\n- [ ] Ship', { stopReason: 'toolUse' })).toEqual([
      'task done: Read',
      'task open: Ship',
      'task gone: Write',
    ]);
    expect(one.assistant('I looked.', { stopReason: 'toolUse' })).toEqual([]);
    expect(one.assistant('- [x] Ship\n- [x] Read', { stopReason: 'toolUse' })).toEqual([
      'task done: Ship',
      'task done: Read',
    ]);
    expect(one.assistant('- [x] Ship\n- [x] Test', { stopReason: 'toolUse' })).toEqual([
      'task done: Ship',
      'task done: Test',
    ]);
  });

  it('of steps is replaced by each answer', () => {
    const one = talk();
    expect(one.assistant('It works. Next I will test it.')).toEqual([
      'task open: Next I will test it.',
      'task done: Fix it. → Next I will test it.',
    ]);
    expect(one.assistant('I wait for you.')).toEqual(['task gone: Next I will test it.']);
  });

  it('holds for four turns with a request', () => {
    const one = talk();
    one.assistant('- [ ] Read\n- [ ] Write');
    expect([one.turn(), one.turn(), one.turn()]).toEqual([[], [], []]);
    expect(one.assistant('Nobody asked for this.')).toEqual([]);
    expect(one.turn()).toEqual(['task gone: Read', 'task gone: Write']);
    expect(one.turn()).toEqual([]);
  });

  it('stays open if it is touched', () => {
    const one = talk();
    one.assistant('- [ ] Read\n- [ ] Write');
    expect([one.turn(), one.turn(), one.turn()]).toEqual([[], [], []]);
    expect(one.assistant('- [ ] Read\n- [ ] Write')).toEqual(['task open: Read', 'task open: Write']);
    expect([one.turn(), one.turn(), one.turn()]).toEqual([[], [], []]);
    expect(one.turn()).toEqual(['task gone: Read', 'task gone: Write']);
  });

  it('counts the requests of one turn once', () => {
    const one = talk();
    one.assistant('- [ ] Read\n- [ ] Write');
    for (let nth = 0; nth < 6; nth += 1) one.user('Show a page.');
    expect(one.assistant('They are shown above.').filter((told) => told.includes('gone'))).toEqual([]);
    expect([one.turn(), one.turn()]).toEqual([[], []]);
    expect(one.turn()).toHaveLength(2);
  });

  it('leaves what another one, or the user, still asks for', () => {
    const one = talk();
    one.summary('compaction', '## Next Steps\n- Run the tests.');
    one.assistant('- [ ] Run the tests.\n- [ ] Write', { stopReason: 'toolUse' });
    expect(one.assistant('- [ ] Write\n- [ ] Ship', { stopReason: 'toolUse' })).toEqual([
      'task open: Write',
      'task open: Ship',
    ]);
    one.user('Write');
    one.user('Run Ship');
    expect(one.assistant('- [ ] Other\n- [ ] Things', { stopReason: 'toolUse' })).toEqual([
      'task open: Other',
      'task open: Things',
      'task gone: Ship',
    ]);
    one.user('Show Other');
    expect(one.summary('compaction', '## Next Steps\n- Nothing')).toEqual([
      'task open: Nothing',
      'task gone: Run the tests.',
    ]);
  });

  it('is cut where it is long', () => {
    const one = talk();
    const list = (from: number, count: number): string =>
      Array.from({ length: count }, (_, at) => `- [ ] Page ${from + at}`).join('\n');
    expect(one.assistant(list(0, 201), { stopReason: 'toolUse' })).toHaveLength(200);
    expect(one.assistant(list(200, 2), { stopReason: 'toolUse' }).filter((told) => told.includes('gone'))).toHaveLength(
      200,
    );
  });
});

describe('a failure', () => {
  const ERROR = 'Error: it broke';

  it('is resolved by the same command with other options', () => {
    const one = talk();
    one.run('git push 2>&1', 'fatal: no upstream', true);
    one.run('git push origin', 'fatal: no upstream', true);
    one.run('git add -A', ERROR, true);
    expect(one.run('git push --set-upstream origin a', 'ok')).toEqual([
      'blocker done: `git push 2>&1` failed: fatal: no upstream',
      'blocker done: `git push origin` failed: fatal: no upstream',
    ]);
    expect(one.run('git add a.ts', 'ok')).toEqual(['blocker done: `git add -A` failed: Error: it broke']);
    one.run('npm test -- a.ts', ERROR, true);
    expect(one.run('npm test -- b.ts', 'ok')).toEqual([]);
  });

  it('blocks until the same goes well', () => {
    const one = talk();
    expect(one.run('npm test', ERROR, true)).toEqual(['blocker open: `npm test` failed: Error: it broke']);
    expect(one.run('npm run build', 'ok')).toEqual([]);
    expect(one.run('npm test', 'ok')).toEqual(['blocker done: `npm test` failed: Error: it broke']);
    expect(one.run('npm test', 'ok')).toEqual([]);
  });

  it('of a file that is changed after all is over, however it was read', () => {
    const one = talk();
    one.call('read', { path: 'a.ts' }).result(ERROR, true);
    one.call('edit', { path: 'a.ts' }).result(ERROR, true);
    expect(one.call('edit', { path: 'a.ts' }).result('ok')).toEqual([
      'blocker done: edit a.ts failed: Error: it broke',
      'blocker done: read a.ts failed: Error: it broke',
    ]);
  });

  it('is over with the answer, unless it is a check', () => {
    const one = talk();
    one.run('ls nowhere', ERROR, true);
    one.run('npm test', ERROR, true);
    expect(one.assistant('It is what it is.').filter((told) => told.startsWith('blocker'))).toEqual([
      'blocker gone: `ls nowhere` failed: Error: it broke',
    ]);
    expect([one.turn(), one.turn(), one.turn()]).toEqual([[], [], []]);
    expect(one.turn()).toEqual(['blocker gone: `npm test` failed: Error: it broke']);
  });

  it('is nothing without its call, and answers it once', () => {
    const one = talk();
    const call = one.call('bash', { command: 'npm test' });
    expect(call.result(ERROR, true)).toHaveLength(1);
    expect(call.result(ERROR, true)).toEqual([]);
    const many = talk();
    const first = many.call('bash', { command: 'npm test' });
    const second = many.call('bash', { command: 'npm run build' });
    for (let nth = 0; nth < 199; nth += 1) many.call('read', { path: `${nth}.ts` });
    expect(first.result(ERROR, true)).toEqual([]);
    expect(second.result(ERROR, true)).toHaveLength(1);
  });

  it('is forgotten where there are too many, the oldest first', () => {
    const one = talk();
    for (let nth = 0; nth < 200; nth += 1) one.run(`npm test ${nth}`, ERROR, true);
    one.run('npm test 0', ERROR, true);
    one.run('npm test 200', ERROR, true);
    expect(one.run('npm test 1', 'ok')).toEqual([]);
    expect([one.run('npm test 0', 'ok').length, one.run('npm test 2', 'ok').length]).toEqual([1, 1]);
  });
});

describe('a summary', () => {
  const summary = '## Constraints\n- No libraries\n\n## Progress\n### Blocked\n- No network\n\n## Next Steps\n- Ship';

  it('takes the place of the tasks and blockers of the one before', () => {
    const one = talk();
    const facts = ['constraint open: No libraries', 'task open: Ship', 'blocker open: No network'];
    expect(one.summary('compaction', summary)).toEqual(facts);
    expect(one.summary('compaction', summary)).toEqual(facts);
    expect(one.summary('compaction', '## Next Steps\n- Test')).toEqual([
      'task open: Test',
      'task gone: Ship',
      'blocker gone: No network',
    ]);
  });

  it('of a branch stands beside that of another one', () => {
    const one = talk();
    const facts = ['constraint open: No libraries', 'task open: Ship', 'blocker open: No network'];
    expect(one.summary('branch', summary)).toEqual(facts);
    expect(one.summary('branch', '## Next Steps\n- Test')).toEqual(['task open: Test']);
    expect(one.summary('compaction', '## Next Steps\n- Look')).toEqual(['task open: Look']);
    one.assistant('It is what it is.');
    expect([one.turn(), one.turn(), one.turn()]).toEqual([[], [], []]);
    expect(one.turn().toSorted()).toEqual(
      ['task gone: Look', 'task gone: Ship', 'blocker gone: No network', 'task gone: Test'].toSorted(),
    );
  });
});

describe('a message', () => {
  it.each<readonly [object, Statement['kind'] | null]>([
    [{ role: 'user', content: 'x' }, 'message'],
    [{ role: 'assistant', content: 'x' }, 'message'],
    [{ role: 'toolResult', content: 'x' }, 'message'],
    [{ role: 'branchSummary', summary: 'x' }, 'branch'],
    [{ role: 'compactionSummary', summary: 'x' }, 'compaction'],
    [{ role: 'compactionSummary', summary: 7 }, null],
    [{ role: 'custom', content: 'x' }, null],
    [{ role: 'bashExecution', command: 'x' }, null],
    [{}, null],
  ])('says something, or is nobody’s words: %j', (message, kind) => {
    const saying = toStatement(message as never);
    expect(saying?.kind ?? null).toBe(kind);
    if (saying)
      expect(saying.kind === 'message' ? saying.message : saying.summary).toEqual(kind === 'message' ? message : 'x');
  });
});
