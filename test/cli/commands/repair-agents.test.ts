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

/** A turn with a tool, and one after it. `breaks` may change what it says. */
function talk(breaks: (log: ClaudeCodeLog) => void = () => {}): string {
  const log = new ClaudeCodeLog();
  log.user('What files are there?');
  log.answer('msg_1', thought('Look.', 'c2lnbmVk'));
  log.answer('msg_1', call('t1'));
  log.result('t1', 'README.md');
  log.answer('msg_2', textBlock('One file.'));
  breaks(log);
  log.user('And what is in it?');
  log.answer('msg_9', textBlock('A title.'));
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
    expect([ran.exitCode, ran.stdout]).toEqual([0, `${FILE}\nnothing to repair\nnothing was written\n`]);
    expect(Object.keys(ran.files)).toEqual([FILE]);
  });

  it('replaces an image that is too large by a note, and saves it beside the copy', async () => {
    const repaired = await repair(talk((log) => log.user([textBlock('See:'), picture(9000, 3)])));
    expect(rulesOf(repaired)).toEqual(['unsupported-image']);
    expect(repaired.shown).toContain('[Image left out: the image has 9,000 x');
    const folder = repaired.copy.replace(/\.jsonl$/, '.images');
    expect(Object.keys(repaired.files)).toContain(`${folder}/image-1.png`);
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
  const broken = { [FILE]: talk((log) => log.user([textBlock('See:'), heavy])) };

  it('say in one line why a session cannot go on, and which command repairs it', async () => {
    const checked = await ctx(['check', FILE, '--no-config'], { files: broken, env: ENV });
    expect(checked.exitCode).toBe(1);
    const [verdict, command] = checked.stdout.split('\n');
    expect(verdict).toMatch(
      /^Claude Code 2\.1\.144 cannot go on: the image has no data \(entry [0-9a-f]{8}, line 6\)$/,
    );
    expect(command).toBe(`→ ctx repair ${FILE} --install`);
    const examined = await ctx(['doctor', FILE, '--no-config'], { files: broken, env: ENV });
    expect([examined.exitCode, examined.stdout]).toEqual([1, expect.stringContaining(verdict ?? '?')]);
  });

  it('say of a newer version that it goes on without the part', async () => {
    const files = { [FILE]: broken[FILE]?.replaceAll('2.1.144', '2.1.332') ?? '' };
    const checked = await ctx(['doctor', FILE, '--no-config'], { files, env: ENV });
    expect([checked.exitCode, checked.stdout]).toEqual([0, expect.stringContaining('2.1.332 goes on without a part')]);
  });

  it('say of a sound session that it can go on', async () => {
    const ran = await ctx(['doctor', FILE, '--no-config', '--json'], { files: { [FILE]: talk() }, env: ENV });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      agent: 'Claude Code 2.1.144',
      goingOn: { goesOn: true, why: null },
    });
  });
});
