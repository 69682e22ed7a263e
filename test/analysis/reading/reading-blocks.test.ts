import { describe, expect, it } from 'vitest';
import { drawBlock } from '#analysis/reading/draw-blocks.js';
import { drawnBlock as drawnSchema, readingBlock, type ReadingBlock } from '#analysis/reading/reading-block.js';
import { buildReadingBlocks, buildShellBlocks } from '#analysis/reading/reading-blocks.js';
import type { LlmMessage } from '#context/replay/content.js';

const CWD = '/home/ada/weather';

function calling(name: string, given: unknown): readonly ReadingBlock[] {
  return blocksOf({ role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name, arguments: given }] });
}

/** The blocks, each tried with its schema. */
function blocksOf(message: object, call?: { name: string; arguments: unknown }): readonly ReadingBlock[] {
  const blocks = buildReadingBlocks(message as LlmMessage, { cwd: CWD, call });
  return blocks.map((block) => {
    drawnSchema.parse(drawBlock(block));
    return readingBlock.parse(block);
  });
}

describe('a tool call', () => {
  it.each<[name: string, given: unknown, subject: string, details: readonly string[]]>([
    ['bash', { command: 'npm test', timeout: 60 }, 'npm test', ['timeout 60']],
    ['shell', { command: ['bash', '-lc', 'npm test'] }, "bash -lc 'npm test'", []],
    ['read', { path: `${CWD}/src/a.ts`, offset: 10, limit: 31 }, 'src/a.ts:10-40', []],
    ['Grep', { pattern: 'a|b', path: 'src', glob: '*.ts', '-n': true }, 'a|b in src', ['glob *.ts', '-n true']],
    ['ls', { path: 'src', limit: 20 }, 'src', ['limit 20']],
    ['find', { pattern: '*.ts' }, '*.ts', []],
    ['web_fetch', { url: 'https://x.example' }, 'https://x.example', []],
    ['read', 'src/a.ts', '', []],
  ])('of %s with %o has a subject and details', (tool, given, subject, details) => {
    expect(calling(tool, given)).toEqual([{ kind: 'call', tool, subject, details, id: 'c1' }]);
  });

  it('has a block for each longer argument, and loses none', () => {
    const todos = [{ text: 'a' }];
    expect(calling('plan', { prompt: 'a\nb', todos, isUrgent: true }).slice(1)).toEqual([
      { kind: 'argument', name: 'prompt', content: { text: 'a\nb', language: '' } },
      { kind: 'argument', name: '', content: { text: JSON.stringify({ todos }, null, 2), language: 'json' } },
    ]);
  });

  it('with a command of several lines has it in a block', () => {
    const [call, command] = calling('bash', { command: 'cd src\nls' });
    expect(call).toMatchObject({ subject: '' });
    expect(command).toEqual({ kind: 'argument', name: 'command', content: { text: 'cd src\nls', language: 'bash' } });
  });

  it('that writes a file has its text in the language of its name', () => {
    const content = { text: 'a: 1\nb: 2\n', language: 'yaml' };
    expect(calling('write', { path: 'a.yaml', content: content.text })[1]).toMatchObject({ content });
  });
});

describe('an edit', () => {
  const patch = ' a\n-b\n+B\n c';

  it.each<[what: string, name: string, given: object]>([
    ['Pi', 'edit', { path: 'a.ts', edits: [{ oldText: 'a\nb\nc', newText: 'a\nB\nc\n' }] }],
    ['Pi until 0.58', 'edit', { path: 'a.ts', oldText: 'a\nb\nc\n', newText: 'a\nB\nc\n' }],
    ['Claude Code', 'Edit', { file_path: 'a.ts', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }],
    ['opencode', 'edit', { filePath: 'a.ts', oldString: 'a\nb\nc', newString: 'a\nB\nc' }],
  ])('of %s is a patch', (_what, name, given) => {
    expect(calling(name, given)).toEqual([
      { kind: 'call', tool: name, subject: 'a.ts', details: ['+1 -1'], id: 'c1' },
      { kind: 'diff', added: 1, removed: 1, content: { text: patch, language: 'diff' } },
    ]);
  });

  it('of Codex is the patch that it sent', () => {
    const input = '*** Begin Patch\n*** Update File: a.ts\n@@\n-b\n+B\n*** End Patch';
    expect(calling('apply_patch', { input })[1]).toMatchObject({ kind: 'diff', content: { text: input } });
  });

  it('shows three lines around a change, and marks what it leaves out', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `l${at}`);
    const edited = lines.with(2, 'x').with(15, 'y');
    const [, diff] = calling('edit', { path: 'a', oldText: lines.join('\n'), newText: edited.join('\n') });
    expect(diff).toMatchObject({
      content: {
        text: ' l0\n l1\n-l2\n+x\n l3\n l4\n l5\n@@\n l12\n l13\n l14\n-l15\n+y\n l16\n l17\n l18',
      },
    });
  });

  it('with arguments of other types is shown as JSON', () => {
    expect(calling('edit', { path: 'a', edits: [{ oldText: 7 }] })[1]).toMatchObject({ content: { language: 'json' } });
  });
});

describe('other blocks', () => {
  it('read texts by their role: answers and summaries as Markdown, a read file by its name', () => {
    const call = { name: 'Read', arguments: { file_path: 'src/a.ts' } };
    const result = { role: 'toolResult', content: [{ type: 'text', text: 'let a;' }] };
    expect(blocksOf(result, call)).toEqual([{ kind: 'output', content: { text: 'let a;', language: 'ts' } }]);
    expect(blocksOf({ role: 'assistant', content: 'a' })).toMatchObject([{ content: { language: 'markdown' } }]);
    expect(blocksOf({ role: 'user', content: '*a*' })).toMatchObject([{ kind: 'text', content: { language: '' } }]);
  });

  it('keep thinking, images, failures and unknown blocks', () => {
    const content = [
      { type: 'thinking', thinking: '' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'video', url: 'x' },
    ];
    expect(blocksOf({ role: 'assistant', content, stopReason: 'error', errorMessage: 'overloaded' })).toEqual([
      { kind: 'thinking', content: { text: '', language: 'markdown' } },
      { kind: 'image', type: 'image/png', bytes: 3, data: 'AAAA' },
      { kind: 'unknown', content: { text: JSON.stringify(content[2], null, 2), language: 'json' } },
      { kind: 'failure', text: 'error: overloaded' },
    ]);
  });

  it('show a command of the user with its outcome', () => {
    expect(buildShellBlocks({ command: 'ls', output: 'a\n', exitCode: 2, excludeFromContext: true })).toEqual([
      { kind: 'call', tool: '$', subject: 'ls', details: ['exit code 2', 'not sent to the model'], id: null },
      { kind: 'output', content: { text: 'a\n', language: '' } },
    ]);
  });
});

describe('a drawn block', () => {
  it('is shortened to what its kind shows at first, with the size of the rest', () => {
    const text = Array.from({ length: 50 }, (_, at) => `${at}`).join('\n');
    const [output] = blocksOf({ role: 'toolResult', content: text });
    expect(output && drawBlock(output)).toMatchObject({
      content: { form: 'plain', text: text.split('\n').slice(0, 20).join('\n') },
      leftOut: { lines: 30 },
    });
  });

  it.each(['a\n'.repeat(20), 'a\n'.repeat(19), ''])('omits nothing of %j', (text) => {
    expect(drawBlock({ kind: 'output', content: { text, language: '' } })).not.toHaveProperty('leftOut');
  });
});
