import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Rule } from '../../src/checks/define.js';
import { linesOf } from '../../src/checks/example.js';
import { checkSession } from '../../src/checks/run.js';
import { nodeFiles } from '../../src/io.js';
import { openSession } from '../../src/open.js';
import { projectFolder } from '../support/files.js';
import { LAYERS } from '../support/layers.js';

const source = path.join(projectFolder, 'src');
const page = readFileSync(path.join(projectFolder, 'docs/architecture.md'), 'utf8');
const [, map = ''] = /^## Module map\n(.*?)^## /ms.exec(page) ?? [];
const named = [...map.matchAll(/^\| `([\w-]+(?:\/|\.ts))` \| .+ \|$/gm)].map(([, name = '']) => name);

it('docs/architecture.md has a line for every folder and file of src', () => {
  const there = readdirSync(source, { withFileTypes: true }).map((one) =>
    one.isDirectory() ? `${one.name}/` : one.name,
  );
  expect(named.toSorted()).toEqual(there.toSorted());
});

it('a layer stands below all that it imports', () => {
  const order = named.map((name) => name.replace(/\/$|\.ts$/, ''));
  const wrong = Object.entries(LAYERS).flatMap(([layer, imports]) =>
    imports.filter((other) => order.indexOf(other) > order.indexOf(layer)).map((other) => `${layer} → ${other}`),
  );
  expect(wrong).toEqual([]);
});

/** The rule of the page, as a module that stands where the page puts it. */
async function writtenRule(): Promise<Rule> {
  const [, code = ''] = /^<!-- rule -->\n```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const here = path.join(source, 'checks/policy');
  const moved = code.replaceAll(/from '(\.[^']+)'/g, (_all, file: string) => `from '${path.join(here, file)}'`);
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-rule-'));
  try {
    const file = path.join(folder, 'rule.ts');
    writeFileSync(file, moved);
    return ((await import(pathToFileURL(file).href)) as { readonly default: Rule }).default;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('the rule that is added in ten minutes works', async () => {
  const rule = await writtenRule();
  const { fires, silent, options } = rule.example;
  const found = async (lines: typeof silent): Promise<readonly string[]> => {
    const messages: string[] = [];
    await checkSession({
      session: await openSession(linesOf(lines), nodeFiles),
      rules: [{ rule, severity: 'error', options: rule.options?.parse(options) as never }],
      requests: 'leaf',
      envelope: {},
      report: ({ message }) => void messages.push(message),
    });
    return messages;
  };
  expect(await found(silent)).toEqual([]);
  expect(await found(fires ?? [])).toEqual(['anthropic/claude-opus-4-5 answered, which is not allowed']);
});
