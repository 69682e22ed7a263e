import { describe, expect, it } from 'vitest';
import { call, ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { ctx } from '../../support/memory-io.js';

const FOLDER = '/home/ada/.claude/projects/-work-app';
const FILE = `${FOLDER}/258c7280-ae70-4798-800f-63464d01a85d.jsonl`;
const ENV = { HOME: '/home/ada' };

/** A PNG that says that it has these sides. */
function picture(width: number, height: number): object {
  const bytes = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } };
}

const thought = (thinking: string, signature: string): object => ({ type: 'thinking', thinking, signature });

type Write = (log: ClaudeCodeLog) => void;

/** A turn with a tool, and one after it. `breaks` may change what it says, and `ends` may go on. */
function talk(breaks: Write = () => {}, ends: Write = () => {}): string {
  const log = new ClaudeCodeLog();
  log.user('What files are there?');
  log.answer('msg_1', thought('Look.', 'c2lnbmVk'));
  log.answer('msg_1', call('t1'));
  log.result('t1', 'README.md');
  log.answer('msg_2', textBlock('One file.'));
  breaks(log);
  log.user('And what is in it?');
  log.answer('msg_9', textBlock('A title.'));
  ends(log);
  return log.text;
}

interface Repaired {
  readonly shown: string;
  readonly repairs: readonly { readonly rule: string; readonly message: string }[];
  readonly files: Readonly<Record<string, unknown>>;
  readonly copy: string;
}

/** Installs a repaired copy of a session, and shows its context. */
async function repair(text: string, ...flags: readonly string[]): Promise<Repaired> {
  const files = { [FILE]: text };
  const ran = await ctx(['repair', FILE, '--install', '--json', ...flags], { files, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const document = JSON.parse(ran.stdout) as { copy: { file: string }; repair: Pick<Repaired, 'repairs'> };
  expect(ran.files[FILE]).toEqual(text);
  const copy = document.copy.file;
  const shown = await ctx(['show', copy, '--part', 'messages'], { files: ran.files });
  const again = await ctx(['repair', copy, '--dry-run'], { files: ran.files, env: ENV });
  expect(again.stdout).toContain('nothing to repair');
  return { shown: shown.stdout, repairs: document.repair.repairs, files: ran.files, copy };
}

const rulesOf = ({ repairs }: Repaired): readonly string[] => repairs.map(({ rule }) => rule);

describe('ctx repair of a session of Claude Code', () => {
  it('writes nothing for a sound one', async () => {
    const files = { [FILE]: talk() };
    const ran = await ctx(['repair', FILE, '--install'], { files, env: ENV });
    expect([ran.exitCode, ran.stdout]).toEqual([
      0,
      `${FILE.replace('/home/ada', '~')}\nnothing to repair\nnothing was written\n`,
    ]);
    expect(Object.keys(ran.files)).toEqual([FILE]);
  });

  it('replaces an image that is too large by a note, and saves it beside the copy', async () => {
    const repaired = await repair(talk((log) => log.user([textBlock('See:'), picture(9000, 3)])));
    expect(rulesOf(repaired)).toEqual(['unsupported-image']);
    expect(repaired.shown).toContain('[Image left out: the image has 9,000 x');
    const folder = repaired.copy.replace(/\.jsonl$/, '.images');
    expect(Object.keys(repaired.files)).toContain(`${folder}/image-1.png`);
  });

  it('keeps what is beside a refused image as it is stored', async () => {
    const documents = ['%PDF-1', '%PDF-2'].map((text) => ({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(text).toString('base64') },
    }));
    const [first, second] = documents;
    const repaired = await repair(talk((log) => log.user([first, picture(9000, 3), second, textBlock('See.')])));
    const lines = String(repaired.files[repaired.copy]).split('\n');
    const record = JSON.parse(lines.find((line) => line.includes('Image left out'))!) as {
      message: { content: readonly unknown[] };
    };
    const note = { type: 'text', text: expect.stringMatching(/^\[Image left out/) as string };
    expect(record.message.content).toEqual([first, note, second, { type: 'text', text: 'See.' }]);
  });

  it('replaces a document that is not a PDF by a note', async () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: Buffer.from('a text').toString('base64') };
    const repaired = await repair(talk((log) => log.user([{ type: 'document', source }, textBlock('See.')])));
    expect(rulesOf(repaired)).toEqual(['unsupported-document']);
    expect(repaired.shown).toContain('[Document left out: its data is not a PDF.');
  });

  it('leaves out all thinking where a signature is lost', async () => {
    const repaired = await repair(talk((log) => log.answer('msg_3', thought('Hm.', ''))));
    expect(rulesOf(repaired)).toContain('lost-signature');
    expect(String(repaired.files[repaired.copy])).not.toContain('"thinking"');
  });

  it('leaves out an answer that is only thinking, and what a provider finds empty', async () => {
    const repaired = await repair(
      talk((log) => {
        log.answer('msg_3', thought('Hm.', 'b3RoZXI='));
        log.user([textBlock('Go on.'), textBlock('')]);
      }),
    );
    expect(rulesOf(repaired)).toEqual(['thinking-at-end', 'empty-content']);
  });

  it('gives a call a result, and takes out a result without a call', async () => {
    const repaired = await repair(
      talk((log) => {
        log.answer('msg_3', call('t3'));
        log.user('Stop.');
        log.answer('msg_4', textBlock('Yes.'));
        log.result('t4', 'No call asked.');
      }),
    );
    expect(rulesOf(repaired)).toEqual(['call-without-result', 'result-without-call']);
    expect(repaired.shown).toContain('The result of this call');
    expect(repaired.shown).not.toContain('No call asked.');
  });

  it('links records whose parent is missing, and leaves out a line that was cut', async () => {
    const [first = '', ...lines] = talk().trimEnd().split('\n');
    const cut = [first, ...lines.slice(0, 3), (lines[3] ?? '').slice(0, 90), ...lines.slice(4)].join('\n');
    const repaired = await repair(`${cut}\n`);
    expect(rulesOf(repaired)).toEqual(['malformed-line', 'orphan']);
    expect(repaired.shown).toContain('What files are there?');
    expect(Object.keys(repaired.files)).toContain(`${repaired.copy}.lost`);
  });

  it('replaces half of a surrogate pair, wherever a record has it', async () => {
    const repaired = await repair(
      talk((log) => {
        log.answer('msg_3', call('t3', 'Bash', { command: 'echo \ud83d' }));
        log.result('t3', 'cut \ude00 and \ud83d\ude00 \\ud83d');
      }),
    );
    expect(repaired.repairs).toMatchObject([
      { rule: 'half-surrogate-pair', message: 'a text has half of a surrogate pair: U+FFFD replaces it' },
      { rule: 'half-surrogate-pair' },
    ]);
    expect(repaired.shown).toContain('cut \ufffd and \ud83d\ude00 \\ud83d');
    expect(repaired.shown).toContain('echo \ufffd');
    const lines = String(repaired.files[repaired.copy]);
    expect(lines).not.toMatch(/(?<!\\)(?:\\\\)*\\ud83d(?!\\ud)/);
  });

  it('replaces halves in other branches, too, and says so', async () => {
    const text = talk((log) => {
      const { leaf } = log;
      log.user('An abandoned branch \ud83d');
      log.leaf = leaf;
      log.user('cut \ud83d');
    });
    const ran = await ctx(['repair', FILE, '--dry-run'], { files: { [FILE]: text }, env: ENV });
    expect(ran.stdout).toContain('would write a copy: 1 repair\n');
    expect(ran.stdout).toContain('U+FFFD also replaces half of a surrogate pair in 1 record');
    const abandoned = talk((log) => {
      const { leaf } = log;
      log.user('An abandoned branch \ud83d');
      log.leaf = leaf;
    });
    const none = await ctx(['repair', FILE, '--dry-run'], { files: { [FILE]: abandoned }, env: ENV });
    expect(none.stdout).toContain('nothing to repair');
  });

  it('names entries by the ids that ctx check and ctx log show', async () => {
    const named = (text: string): string => text.replaceAll(/"(?:uuid|parentUuid)":"/g, '$&zz-');
    const text = named(talk((log) => log.user('See', {}, '22222222-2222-4222-8222-222222222222')));
    const checked = await ctx(['check', FILE, '--no-config', '--json'], { files: { [FILE]: text }, env: ENV });
    const { findings } = (JSON.parse(checked.stdout) as { files: { findings: readonly object[] }[] }).files[0]!;
    const orphan = findings.find((found) => 'rule' in found && found.rule === 'orphan') as Record<string, string>;
    const { repairs } = await repair(text);
    const log = await ctx(['log', FILE, '--all', '--json'], { files: { [FILE]: text }, env: ENV });
    expect(repairs).toMatchObject([{ rule: 'orphan', entryId: orphan['entryId'] }]);
    const [, from = '', to = ''] = /its parent ("[0-9a-f]{8}") .* follows "([0-9a-f]{8})"/.exec(repairs[0]!.message)!;
    expect(orphan['message']).toContain(from);
    expect(log.stdout).toContain(to);
  });

  it('leaves out more with --drop', async () => {
    const repaired = await repair(
      talk((log) => log.user([textBlock('See:'), picture(9, 3)])),
      '--drop',
      'images,thinking',
    );
    expect(rulesOf(repaired)).toEqual(['lost-signature', 'unsupported-image']);
    const ran = await ctx(['repair', FILE, '--install', '--drop', 'words'], { files: { [FILE]: talk() }, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('not "words"')]);
  });
});

describe('ctx check and ctx doctor', () => {
  const heavy = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
  const seen = { [FILE]: talk((log) => log.user([textBlock('See:'), heavy])) };
  const broken = { [FILE]: talk(undefined, (log) => log.user([textBlock('See:'), heavy])) };
  const judge = async (text: string): Promise<unknown> => {
    const ran = await ctx(['doctor', FILE, '--no-config', '--json'], { files: { [FILE]: text }, env: ENV });
    return (JSON.parse(ran.stdout) as { readonly goingOn: unknown }).goingOn;
  };
  const unsigned: Write = (log) => {
    const id = `msg_${log.lines.length}0`;
    for (const block of [thought('See.', '[REDACTED]'), textBlock('Seen.')]) log.answer(id, block);
  };
  /** An answer as Claude streams it, with line breaks before its thinking. */
  const blank: Write = (log) => {
    for (const block of [textBlock('\n\n'), thought('Look.', 'c2ln'), textBlock('Fine.')]) log.answer('msg_10', block);
  };

  it('say in one line why a session cannot go on, and which command repairs it', async () => {
    const checked = await ctx(['check', FILE, '--no-config'], { files: broken, env: ENV });
    expect(checked.exitCode).toBe(1);
    const [file, verdict, command] = checked.stdout.split('\n');
    expect(file).toBe(FILE.replace('/home/ada', '~'));
    expect(verdict).toMatch(
      /^Claude Code 2\.1\.144 cannot go on: the image has no data \(entry [0-9a-f]{8}, line 8\)$/,
    );
    expect(command).toBe(`→ ctx repair ${FILE.replace('/home/ada', '~')} --install`);
    const examined = await ctx(['doctor', FILE, '--no-config'], { files: broken, env: ENV });
    expect([examined.exitCode, examined.stdout]).toEqual([1, expect.stringContaining(verdict ?? '?')]);
  });

  it('say nothing of going on with a subagent, which no user resumes', async () => {
    const file = FILE.replace('.jsonl', '/subagents/agent-a881341.jsonl');
    const agent = (broken[FILE] ?? '').replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"a881341"');
    const checked = await ctx(['check', file, '--no-config'], { files: { ...broken, [file]: agent }, env: ENV });
    expect(checked.stdout).not.toContain('cannot go on');
    expect(checked.stdout).toContain('unsupported-image');
  });

  it('say of the sound session of a subagent that its agent does not resume it, in ctx doctor alone', async () => {
    const file = FILE.replace('.jsonl', '/subagents/agent-a881341.jsonl');
    const agent = talk().replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"a881341"');
    const world = { files: { [FILE]: talk(), [file]: agent }, env: ENV };
    const examined = await ctx(['doctor', file, '--no-config'], world);
    expect(examined.exitCode).toBe(1);
    expect(examined.stdout).not.toContain('can go on');
    expect(examined.stdout).toMatch(/does not resume the session of a\s+subagent \(name the session that started it\)/);
    expect((await ctx(['check', file, '--no-config'], world)).stdout).not.toContain('cannot go on');
    expect((await ctx(['doctor', FILE, '--no-config'], world)).stdout).toContain('can go on with it');
  });

  it('say of a newer version that it goes on without the part', async () => {
    const files = { [FILE]: broken[FILE]?.replaceAll('2.1.144', '2.1.332') ?? '' };
    const checked = await ctx(['doctor', FILE, '--no-config'], { files, env: ENV });
    expect([checked.exitCode, checked.stdout]).toEqual([0, expect.stringContaining('2.1.332 goes on without a part')]);
  });

  it('count no fault with which a later request was answered', async () => {
    const goesOn = { goesOn: true, why: null, command: null };
    expect(await judge(seen[FILE] ?? '')).toMatchObject(goesOn);
    expect(await judge(talk(unsigned))).toMatchObject(goesOn);
    expect(await judge(talk(unsigned).replaceAll('2.1.144', '2.0.76'))).toMatchObject({ goesOn: false });
    expect(await judge(talk(undefined, unsigned))).toMatchObject({ goesOn: false });
    // One such fault is in the last answer.
    expect(await judge(talk(unsigned, unsigned))).toMatchObject({ goesOn: false });
    const refused = { isApiErrorMessage: true, model: '<synthetic>' };
    const failed = talk(undefined, (log) => {
      log.user([heavy]);
      log.answer('msg_11', textBlock('API Error: 400'), log.leaf, refused);
    });
    expect(await judge(failed)).toMatchObject({ goesOn: false, why: 'the image has no data' });
  });

  it('know that Claude Code goes on after line breaks in an answer', async () => {
    expect(await judge(talk(undefined, blank))).toMatchObject({ goesOn: true, why: null });
    const older = talk(undefined, blank).replaceAll('2.1.144', '2.1.20');
    expect(await judge(older)).toMatchObject({ goesOn: false, why: 'the message has an empty text' });
    expect(await judge(talk(blank).replaceAll('2.1.144', '2.1.20'))).toMatchObject({ goesOn: true, why: null });
  });

  it('know that every version goes on after a missing parent, also where the version is not recorded', async () => {
    const gone = '22222222-2222-4222-8222-222222222222';
    const text = talk((log) => log.user('See', {}, gone)).replaceAll('"version":"2.1.144",', '');
    const why = 'its parent "22222222" is not in the file';
    expect(await judge(text)).toMatchObject({ goesOn: true, rule: 'orphan', why });
  });

  it('count what stops it, and name it where a copy is made', async () => {
    const files = { [FILE]: talk(undefined, blank).replaceAll('2.1.144', '2.1.20') };
    const checked = await ctx(['check', FILE, '--no-config'], { files, env: ENV });
    expect(checked.stdout.trimEnd().split('\n').at(-1)).toMatch(/^1 error(?:, \d+ \w+)* in 1 session/);
    const pruned = await ctx(['extract', FILE, '--install'], { files, env: ENV });
    expect(pruned.stdout).toMatch(
      /\nwarning: Claude Code 2\.1\.20 cannot go on: the message has an empty text.*; run ctx repair \S+ --install\n(?:.*\n)*first: ctx repair \S+ --install\n$/,
    );
    expect(pruned.stdout).not.toContain('resume: ');
    const repaired = await ctx(['repair', FILE, '--install'], { files, env: ENV });
    expect([repaired.exitCode, repaired.stdout]).toEqual([0, expect.not.stringContaining('cannot go on')]);
  });

  it('judge by the context window of the configuration', async () => {
    const world = {
      cwd: '/home/ada',
      files: { [FILE]: talk(), '/home/ada/ctx.config.json': JSON.stringify({ limit: 20 }) },
      env: ENV,
    };
    const examined = await ctx(['doctor', FILE], world);
    expect(examined.stdout).toMatch(/\n\s+context window 20\n.* of 20\n/s);
    const checked = await ctx(['check', FILE], world);
    expect(checked.stdout).toMatch(/and the\s+context window 20\b/);
    const repaired = await ctx(['repair', FILE, '--dry-run'], world);
    expect(repaired.stderr).toContain('and the context window 20');
  });

  it('say of a sound session that it can go on', async () => {
    const ran = await ctx(['doctor', FILE, '--no-config', '--json'], { files: { [FILE]: talk() }, env: ENV });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      agent: 'Claude Code 2.1.144',
      goingOn: { goesOn: true, why: null },
    });
    const small = await ctx(['doctor', FILE, '--no-config', '--json', '--limit', '10'], {
      files: { [FILE]: talk() },
      env: ENV,
    });
    expect(JSON.parse(small.stdout)).toMatchObject({
      limit: 10,
      goingOn: { why: expect.stringContaining('window 10') },
    });
  });
});

const ROLLOUT =
  '/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-019ca000-0000-7000-8000-000000000001.jsonl';

const input = (...content: readonly object[]): object => ({ type: 'message', role: 'user', content });
const inputText = (text: string): object => ({ type: 'input_text', text });

/** A rollout whose newest compaction records a history. */
function compacted(...history: readonly object[]): string {
  const timestamp = '2026-03-02T09:00:00.000Z';
  const meta = { id: '019ca000-0000-7000-8000-000000000001', timestamp, cwd: '/work', cli_version: '0.171.0' };
  const lines = [
    { type: 'session_meta', payload: meta },
    { type: 'response_item', payload: input(inputText('Look at it.')) },
    { type: 'compacted', payload: { message: 'A summary.', replacement_history: history } },
    { type: 'response_item', payload: input(inputText('Go on.')) },
  ];
  return lines.map((line) => `${JSON.stringify({ timestamp, ...line })}\n`).join('');
}

describe('ctx repair of a compacted session of Codex', () => {
  const heavy = Buffer.concat([Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64'), Buffer.alloc(1.6e7, 0x5a)]);
  const image = { type: 'input_image', image_url: `data:image/png;base64,${heavy.toString('base64')}`, detail: 'high' };
  const small = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: '[REDACTED]' };
  const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A cat.' }] };

  /** Repairs a rollout, and returns the history of the copy. */
  async function repairHistory(text: string, ...flags: readonly string[]) {
    const ran = await ctx(['repair', ROLLOUT, '--install', '--json', ...flags], {
      files: { [ROLLOUT]: text },
      env: ENV,
    });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    const { copy, repair: done } = JSON.parse(ran.stdout) as {
      copy: { file: string };
      repair: Pick<Repaired, 'repairs'>;
    };
    const again = await ctx(['repair', copy.file, '--dry-run'], { files: ran.files, env: ENV });
    expect(again.stdout).toContain('nothing to repair');
    const lines = String(ran.files[copy.file]).trimEnd().split('\n');
    const record = lines.map((line) => JSON.parse(line) as { type: string; payload: object });
    const { payload } = record.find(({ type }) => type === 'compacted')!;
    return {
      rules: rulesOf({ ...done } as Repaired),
      history: (payload as { replacement_history: unknown }).replacement_history,
    };
  }

  it('reaches images in the recorded history, and keeps what is beside them', async () => {
    const text = compacted(input(inputText('See:'), small, image), answer, input(inputText('A summary.')));
    const judged = await ctx(['doctor', ROLLOUT, '--no-config', '--json'], { files: { [ROLLOUT]: text }, env: ENV });
    expect(JSON.parse(judged.stdout)).toMatchObject({ goingOn: { goesOn: false, rule: 'unsupported-image' } });
    const { rules, history } = await repairHistory(text);
    expect(rules).toEqual(['unsupported-image']);
    const note = inputText(expect.stringMatching(/^\[Image left out: the image has \d+ bytes/) as string);
    expect(history).toEqual([input(inputText('See:'), small, note), answer, input(inputText('A summary.'))]);
  });

  it('reaches images in a result of the history', async () => {
    const called = { type: 'function_call', name: 'view', arguments: '{}', call_id: 'call_1' };
    const result = (...output: readonly object[]): object => ({
      type: 'function_call_output',
      call_id: 'call_1',
      output,
    });
    const { rules, history } = await repairHistory(
      compacted(input(inputText('See.')), called, result(small), answer),
      '--drop',
      'images',
    );
    expect(rules).toEqual(['unsupported-image']);
    const output = expect.stringMatching(/^\[Image left out/) as string;
    expect(history).toEqual([
      input(inputText('See.')),
      called,
      { type: 'function_call_output', call_id: 'call_1', output },
      answer,
    ]);
  });

  it('reaches thinking in the history', async () => {
    const { rules, history } = await repairHistory(compacted(input(inputText('See.')), reasoning, answer));
    expect(rules).toEqual(['lost-signature']);
    expect(history).toEqual([input(inputText('See.')), answer]);
  });

  it('replaces half of a surrogate pair in the history', async () => {
    const { rules, history } = await repairHistory(compacted(input(inputText('cut \ud83d')), answer));
    expect(rules).toEqual(['half-surrogate-pair']);
    expect(history).toEqual([input(inputText('cut \ufffd')), answer]);
  });
});

describe('a session that no copy can repair', () => {
  const timestamp = '2026-03-02T09:00:00.000Z';
  const rollout =
    '/home/ada/.codex/sessions/2026/02/28/rollout-2026-02-28T10-00-00-019ca000-0000-7000-8000-000000000001.jsonl';
  const say = (text: string): object => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const redacted = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: '[REDACTED]' };

  function writeRollout(header: object, ...items: readonly object[]): string {
    const meta = {
      id: '019ca000-0000-7000-8000-000000000001',
      timestamp,
      cwd: '/work',
      cli_version: '0.171.0',
      ...header,
    };
    const rows = [
      { type: 'session_meta', payload: meta },
      ...items.map((payload) => ({ type: 'response_item', payload })),
    ];
    return rows.map((row) => `${JSON.stringify({ timestamp, ...row })}\n`).join('');
  }

  function write(text: unknown): string {
    const log = new ClaudeCodeLog();
    log.user(text);
    return log.text;
  }

  const elsewhere = { history_base: { thread_id: '019ca000-0000-7000-8000-000000000009', ordinal: 3 } };
  const cases = [
    [
      'has nothing but an empty prompt',
      FILE,
      write(''),
      'the message has an empty text',
      'no message would be left',
      'begin a new session',
    ],
    [
      'has nothing but lost thinking',
      rollout,
      writeRollout({}, redacted),
      'thinking has no valid signature',
      'no message would be left',
      'begin a new session',
    ],
    [
      'continues a rollout that is missing',
      rollout,
      writeRollout(elsewhere, say('Hi'), redacted, say('Go on')),
      'thinking has no valid signature',
      'its history begins in another rollout, which is missing',
      'put that rollout back',
    ],
  ] as const;

  it.each(cases)('says why, where and what to do: one that %s', async (_, file, text, fault, why, hint) => {
    const files = { [file]: text };
    const ran = await ctx(['repair', file, '--install', '--json'], { files, env: ENV });
    expect([ran.exitCode, Object.keys(ran.files)]).toEqual([4, [file]]);
    const refusal = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '') as unknown;
    expect(refusal).toMatchObject({
      kind: 'refused',
      what: `${fault}, which no copy can repair: ${why}`,
      where: expect.stringMatching(/\.jsonl:\d+$/) as string,
      hint: expect.stringContaining(hint) as string,
    });
    const examined = await ctx(['doctor', file, '--no-config', '--json'], { files, env: ENV });
    expect(examined.exitCode).toBe(1);
    expect(JSON.parse(examined.stdout)).toMatchObject({
      goingOn: { goesOn: false, why: expect.stringContaining(why) as string, command: null },
    });
    const checked = await ctx(['check', file, '--no-config'], { files, env: ENV });
    expect(checked.stdout.replaceAll(/\s+/g, ' ')).toContain(hint);
    expect(checked.stdout).not.toContain('→ ctx repair');
  });

  it('is larger than the window, and is shortened instead', async () => {
    const log = new ClaudeCodeLog();
    log.user('word '.repeat(2000));
    log.answer('msg_1', textBlock('Fine.'));
    const world = {
      cwd: '/home/ada',
      files: { [FILE]: log.text, '/home/ada/ctx.config.json': JSON.stringify({ limit: 1000 }) },
      env: ENV,
    };
    const ran = await ctx(['repair', FILE, '--install'], world);
    expect([ran.exitCode, ran.stderr]).toEqual([
      4,
      expect.stringMatching(/no record is broken, but the next request has ~[\d,]+ tokens.*ctx prune/) as string,
    ]);
  });

  it.each(['', 'plain words\n', '{"type":"thing"}\n'])('is none: %j', async (text) => {
    const ran = await ctx(['repair', FILE, '--install'], { files: { [FILE]: text }, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([3, expect.not.stringContaining('is of Pi')]);
    expect(ran.stderr).toMatch(/: .*258c7280.*: \S+/);
  });

  it('continues a missing rollout: other copies of it say where it is, too', async () => {
    const files = { [rollout]: writeRollout(elsewhere, say('Hi'), say('Go on')) };
    const ran = await ctx(['extract', rollout, '--install'], { files, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('begins in another file')]);
    expect(ran.stderr).toContain('rollout-2026-02-28');
  });
});
