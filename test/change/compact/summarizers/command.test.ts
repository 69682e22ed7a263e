import { describe, expect, it } from 'vitest';
import command from '#change/compact/summarizers/command.js';
import file from '#change/compact/summarizers/file.js';
import { readProgramLine } from '#platform/program-line.js';
import { taskOf, worldWith } from '../../../support/summary-world.js';

/** A program that runs a piece of JavaScript. */
function node(script: string): string {
  return `'${process.execPath}' -e '${script}'`;
}

const READ_ALL = 'let all=""; process.stdin.on("data",(d)=>all+=d).on("end",()=>';

describe('the summariser command', () => {
  it('gives a program Pi’s prompt and takes what it prints', async () => {
    const line = node(
      `${READ_ALL}console.log("\\n## Goal\\n" + all.length + all.slice(0, 42) + all.includes("[User]: Fix the parser.")))`,
    );
    const { text, usage } = await command.summarize(taskOf(), worldWith(), { 'summarizer-command': line });
    expect(text).toMatch(/^## Goal\n\d+You are a context summarization assistant\.true$/);
    expect(usage).toBeUndefined();
  });

  it('asks twice for a split turn, and ends with the files', async () => {
    const line = node(
      `${READ_ALL}console.log(all.includes("# Conversation") ? "PREFIX" : all.includes("<previous-summary>\\nbefore") ? "UPDATED" : "NEW"))`,
    );
    const task = taskOf({
      turnPrefix: taskOf().messages,
      previousSummary: 'before',
      files: { read: ['a'], modified: ['b', 'c'] },
    });
    const { text } = await command.summarize(task, worldWith(), { 'summarizer-command': line });
    expect(text).toBe(
      'UPDATED\n\n---\n\n**Turn Context (split turn):**\n\nPREFIX\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\nc\n</modified-files>',
    );
    const onlyPrefix = await command.summarize({ ...task, messages: [] }, worldWith(), { 'summarizer-command': line });
    expect(onlyPrefix.text).toMatch(/^before\n\n---/);
  });

  it('runs the command without a shell by default', async () => {
    const line = 'echo "$((40 + 2))" | cat';
    const plain = await command.summarize(taskOf(), worldWith(), { 'summarizer-command': line });
    expect(plain.text).toBe('$((40 + 2)) | cat');
    const shell = await command.summarize(taskOf(), worldWith(), { 'summarizer-command': line, shell: true });
    expect(shell.text).toBe('42');
  });

  it.each([
    ['no-such-program-anywhere', /cannot start/],
    [node('process.stderr.write("no credit"); process.exit(3)'), /exit code 3: no credit/],
    [node(''), /printed nothing/],
    [node('process.kill(process.pid, "SIGKILL")'), /killed/],
    [node('process.stdout.write("x".repeat(20000000))'), /printed too much/],
    [node('setInterval(() => {}, 1000)'), /exceeded the time limit of 1 s/, 1],
  ])('refuses what comes of %s', async (line, said, timeout = 50) => {
    const given = { 'summarizer-command': line, 'summarizer-timeout': timeout };
    await expect(command.summarize(taskOf(), worldWith(), given)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringMatching(said),
    });
  });

  it('ends the program, and all that it started, when it is interrupted', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    // Longer than a test may take.
    const given = { 'summarizer-command': 'sleep 300; echo done', shell: true };
    await expect(command.summarize(taskOf(), worldWith({ signal: stop.signal }), given)).rejects.toThrow(/interrupted/);
  });

  it('does not wait for a program that does not read its input', async () => {
    const task = taskOf({ messages: [{ role: 'user', content: 'x'.repeat(3_000_000), timestamp: 0 }] });
    const { text } = await command.summarize(task, worldWith(), { 'summarizer-command': 'echo fine' });
    expect(text).toBe('fine');
  });
});

describe('words of a command line', () => {
  it.each([
    ['llm -m  gpt', ['llm', '-m', 'gpt']],
    [`a "b c" 'd e' f\\ g h"i"'j'`, ['a', 'b c', 'd e', 'f g', 'hij']],
    [String.raw`a "\"\\\$\n" '\'`, ['a', String.raw`"\$\n`, '\\']],
    ['a "" \'\'', ['a', '', '']],
  ])('%s', (line, words) => expect(readProgramLine(line, false, 'it')).toEqual(words));

  it.each(['', '  ', `a 'b`, 'a "b'])('refuses %j', (line) =>
    expect(() => readProgramLine(line, false, 'it')).toThrow(/command/),
  );
});

describe('the summariser file', () => {
  it('takes a text as it is, but for blank lines around it', async () => {
    const world = worldWith({ readText: (name) => Promise.resolve(`\n${name} says\n\n`) });
    expect(await file.summarize(taskOf(), world, { summary: 's.md' })).toEqual({ text: 's.md says' });
  });

  it('refuses an empty one', async () => {
    const world = worldWith({ readText: () => Promise.resolve(' \n') });
    await expect(file.summarize(taskOf(), world, { summary: '-' })).rejects.toThrow('empty');
  });
});
