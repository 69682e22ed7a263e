import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { payloadsAt } from '../cli/commands/export/payloads.js';
import { talk } from '../cli/commands/export/talks.js';
import { fixtures, projectFolder } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';

const TYPES: Readonly<Record<string, readonly [name: string, module: string]>> = {
  'anthropic-messages': ['MessageCreateParamsNonStreaming', '@anthropic-ai/sdk/resources/messages/messages'],
  'openai-responses': ['ResponseCreateParamsNonStreaming', 'openai/resources/responses/responses'],
  'openai-completions': ['ChatCompletionCreateParamsNonStreaming', 'openai/resources/chat/completions/completions'],
};

/** Payloads for the vendors themselves, each as a constant of the type that the vendor's own library takes. */
async function constants(): Promise<readonly string[]> {
  const sources = [
    ...fixtures.filter((file) => !file.includes('damaged')),
    ...Array.from({ length: 50 }, (_, seed) => new TextEncoder().encode(talk(seed))),
  ];
  const texts: string[] = [];
  for (const source of sources) {
    const session = await openSession(source).catch(() => null);
    if (session === null) continue;
    for (const { asked, payload } of await payloadsAt(session, null, true)) {
      const [type = ''] = TYPES[asked.api] ?? [];
      if (asked.provider !== 'anthropic' && asked.provider !== 'openai') continue;
      texts.push(`export const payload${texts.length}: ${type} = ${JSON.stringify(payload)};`);
    }
    session.close();
  }
  return texts;
}

/** The lines of a file at which TypeScript finds something wrong, where it stands beside the libraries of the vendors. */
function wrongLines(text: string): readonly string[] {
  const file = path.join(projectFolder, 'test/pi/payloads-of-ours.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? text : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  const lines = text.split('\n');
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ file: of, start = 0, messageText }) => {
    const at = of?.getLineAndCharacterOfPosition(start).line ?? 0;
    return `${lines[at]} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** To see that the types refuse anything at all. */
const WRONG = [
  'export const wrong0: MessageCreateParamsNonStreaming = { model: "claude", messages: [] };',
  'export const wrong1: ResponseCreateParamsNonStreaming = { input: [{ role: "user", content: [{ type: "text" }] }] };',
  'export const wrong2: ChatCompletionCreateParamsNonStreaming = { model: "gpt", messages: [{ role: "tool", content: "" }] };',
];

withRealPi('what is exported', () => {
  it('is what the libraries of the vendors take', async () => {
    const imports = Object.values(TYPES).map(([name, module]) => `import type { ${name} } from '${module}';`);
    const texts = await constants();
    expect(texts.length).toBeGreaterThan(200);
    const wrong = wrongLines([...imports, ...texts, ...WRONG].join('\n'));
    expect(wrong.filter((text) => !text.includes('const wrong'))).toEqual([]);
    expect(wrong.map((text) => text.slice(0, 'export const wrong0'.length))).toEqual([
      'export const wrong0',
      'export const wrong1',
      'export const wrong2',
    ]);
  });
});
