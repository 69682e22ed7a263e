import { describe, expect, it } from 'vitest';
import type { Question } from '#analysis/loss/question-file.js';
import { type JsonOf, schemas } from '#cli/schemas.js';
import { runProgram } from '#platform/processes.js';
import { Log } from '../../fixtures/log.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const SUMMARY = 'Dates are UTC now, by roll() in src/forecast.js. The timeout is 90.';
const session = new Log('asked')
  .user('u1', 'Always run `npm test` before you say that something works.')
  .tool(
    'e1',
    'edit',
    { path: 'src/forecast.js', oldText: 'a', newText: 'export const dates = roll(month, day);' },
    'ok',
  )
  .tool('e2', 'edit', { path: 'src/limits.js', edits: [{ oldText: 'timeout: 30,', newText: 'timeout: 90,' }] }, 'ok')
  .tool('e3', 'edit', { path: 'src/kept.js', oldText: 'b', newText: 'export const kept = keep(month, day);' }, 'ok')
  .assistant('a1', 'I will use `Date.UTC` instead of a library, because the bundle must stay small.')
  .failedTool('f1', 'bash', { command: 'npm test' }, 'AssertionError: expected 2026-04-01 from isoDate')
  .user('u2', 'Look at src/kept.js again.')
  .assistant('a2', 'It is fine.')
  .compaction('k1', SUMMARY, 'u2')
  .text();
const files = { 's.jsonl': session };

const ask = (argv: readonly string[] = [], world: World = {}): Promise<Ran> =>
  ctx(['loss', 's.jsonl', '--questions', 'q.jsonl', ...argv], { files, runProgram, ...world });

async function documentOf(argv: readonly string[] = [], world: World = {}): Promise<JsonOf<'loss-questions'>> {
  const { stdout, stderr } = await ask([...argv, '--json'], world);
  expect(stderr).toBe('');
  return schemas['loss-questions'].parse(JSON.parse(stdout));
}

function readQuestions({ files: after }: Ran): readonly Question[] {
  return Buffer.from(after['q.jsonl'] ?? '')
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => schemas['loss-question'].parse(JSON.parse(line)));
}

/** A program that answers with a piece of JavaScript over its input `all`. */
const node = (script: string): string =>
  `'${process.execPath}' -e 'let all=""; process.stdin.on("data",(d)=>all+=d).on("end",()=>{${script}})'`;

describe('ctx loss --questions', () => {
  it('writes questions about edits, values, instructions, decisions and errors that the kept messages do not answer', async () => {
    const questions = readQuestions(await ask());
    expect(questions.map(({ kind, answers, entryId }) => [kind, answers[0], entryId])).toEqual([
      ['edit', 'src/forecast.js', 'e1'],
      ['value', '90', 'e2'],
      ['instruction', 'npm test', 'u1'],
      ['decision', 'Date.UTC', 'a1'],
      ['error', 'AssertionError', expect.any(String)],
    ]);
    expect(questions.map(({ question }) => question)).toEqual([
      'In which file was this line written? export const dates = roll(month, day);',
      'In limits.js, timeout was changed from 30 to which value?',
      expect.stringContaining('Always run `____` before'),
      expect.stringContaining('I will use `____` instead of a library'),
      expect.stringContaining('____: expected 2026-04-01'),
    ]);
  });

  it('asks for the settings of new files, and for values in sentences that decide them, once each', async () => {
    const text = new Log('values')
      .user('u1', 'Use port 8080 for the proxy. Never mind the tests.')
      .tool('w1', 'write', { path: 'src/server.js', content: 'const retryDelay = 1500;\nconst first = 1500;\n' }, 'ok')
      .tool('w2', 'write', { path: 'docs/notes.md', content: 'version: "9.9.9"\n' }, 'ok')
      .assistant('a1', 'I set the proxy to port 8080, and pin Node to 22.4.')
      .user('u2', 'Well? Add `--quiet` to the script.')
      .assistant('a2', 'It is fine, with `--quiet`.')
      .compaction('k1', 'Done.', 'u2')
      .text();
    const questions = readQuestions(await ask([], { files: { 's.jsonl': text } }));
    expect(
      questions.filter(({ kind }) => kind === 'value').map(({ question, answers }) => [question, ...answers]),
    ).toEqual([
      ['In this sentence of the user, which value is left out? Use port ____ for the proxy.', '8080'],
      ['In server.js, which value does const retryDelay have?', '1500'],
    ]);
  });

  it('counts the answers that are in the summary', async () => {
    const found = await documentOf();
    expect(found).toMatchObject({ asked: 5, inSummary: 2, right: null, failed: 0, isWritten: true });
    expect(found.questions.filter(({ inSummary }) => inSummary).map(({ kind }) => kind)).toEqual(['edit', 'value']);
    const { stdout } = await ask();
    expect(stdout).toMatch(/^ +all +5 +2$/m);
    expect(stdout).toContain('answer: npm test');
  });

  it('asks those of a file that exists, which it leaves as it is', async () => {
    const own = '{"question":"How long is the timeout?","answers":["ninety","90"]}\n\n';
    const { stdout, files: after } = await ask(['--json'], { files: { ...files, 'q.jsonl': own } });
    expect(JSON.parse(stdout)).toMatchObject({
      asked: 1,
      inSummary: 1,
      isWritten: false,
      questions: [{ kind: 'own' }],
    });
    expect(after['q.jsonl']).toBe(own);
  });

  it('gives the command the summary and one question, and nothing else of the session', async () => {
    const inputs: string[] = [];
    await ask(['--model-command', 'model -x "a b"'], {
      runProgram: ({ program, isForShell, input }) => {
        expect([program, isForShell]).toEqual([['model', '-x', 'a b'], false]);
        inputs.push(input);
        return Promise.resolve({ stdout: 'unknown\n', stderr: '', exitCode: 0, failure: 'none' });
      },
    });
    expect(inputs).toHaveLength(5);
    expect(inputs[1]).toContain(`<summary>\n${SUMMARY}\n</summary>\n\nIn limits.js, timeout was changed`);
    expect(inputs[1]).not.toContain('npm test');
  });

  it('compares its answer word for word, without marks, quotes and case', async () => {
    const script =
      'console.log(all.includes("which value") ? "`90`." : all.includes("which file") ? "Src/Forecast.js" : "unknown")';
    const found = await documentOf(['--model-command', node(script)]);
    expect(found.kinds.map(({ kind, right }) => [kind, right])).toEqual([
      ['edit', 1],
      ['value', 1],
      ['instruction', 0],
      ['decision', 0],
      ['error', 0],
    ]);
    expect(found).toMatchObject({ right: 2, failed: 0 });
    const sentence = await documentOf(['--model-command', node('console.log("The value is 90")')]);
    expect(sentence.right).toBe(0);
  });

  it('counts an answer that did not come as none, and exits with 1', async () => {
    const script = 'if (all.includes("which value")) { console.error("no credit"); process.exit(3); } console.log("?")';
    const { exitCode, stdout } = await ask(['--model-command', node(script)]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('the command gave no answer to 1 question');
    expect(stdout).toContain('the model ended with exit code 3: no credit');
    const slow = await documentOf(['--model-command', node('setInterval(() => {}, 1000)'), '--model-timeout', '1'], {
      files: { ...files, 'q.jsonl': '{"question":"Why?","answers":["so"]}' },
    });
    expect(slow.questions[0]?.failure).toBe('the model exceeded the time limit of 1 s');
  });

  it.each([
    [['--model-command', 'no-such-program-anywhere'], {}, /cannot start the model/, 3],
    [['--model-command', "a 'b"], {}, /unclosed quote/, 2],
    [[], { 'q.jsonl': '{"question":"Why?"}' }, /not a question: answers must be array.*q\.jsonl:1/s, 3],
    [[], { 'q.jsonl': '\n' }, /there is no question in this file/, 3],
    [[], { 's.jsonl': new Log('none').twoTurns().text() }, /no compaction to ask about/, 2],
    [['--all'], {}, /--questions/, 2],
  ])('refuses %j with %j', async (argv, more, said, code) => {
    const { exitCode, stdout, stderr } = await ask(argv, { files: { ...files, ...more } });
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(said);
  });

  it('has no question with two answers', async () => {
    const line = 'export const same = twice(month, day);';
    const text = new Log('same')
      .user('u1', 'Go.')
      .tool('e1', 'edit', { path: 'one.js', oldText: 'a', newText: line }, 'ok')
      .tool('e2', 'edit', { path: 'two.js', oldText: 'a', newText: line }, 'ok')
      .user('u2', 'Well?')
      .compaction('k1', 'Done.', 'u2')
      .text();
    const { stderr, exitCode } = await ask([], { files: { 's.jsonl': text } });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the compaction removed nothing that makes a question');
  });
});
