import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Rule } from '#analysis/check/define.js';
import { linesOf } from '#analysis/check/example.js';
import { checkSession } from '#analysis/check/run.js';
import { openSession } from '#context/open.js';
import { nodeFiles } from '#platform/io.js';
import { projectFolder } from '../support/files.js';
import { ROOMS } from '../support/rooms.js';

const source = path.join(projectFolder, 'src');
const page = readFileSync(path.join(projectFolder, 'docs/architecture.md'), 'utf8');

it('docs/architecture.md names the rooms of src, in their order', () => {
  const named = [...page.matchAll(/^\| \[`(\w+)\/`\]\(\.\.\/src\/\w+\/README\.md\) \| .+ \|$/gm)].map(
    ([, room]) => room,
  );
  expect(named).toEqual(ROOMS);
});

/** The rows `| subject | [`file`](../src/file) | `name` |` of the table of places. */
const PLACES = [...page.matchAll(/^\| .+ \| \[`([^`]+)`\]\(\.\.\/src\/\1\) \| `(\w+)` \|$/gm)];

it('docs/architecture.md names places that exist', () => {
  const missing = PLACES.filter(([, file = '', name = '']) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    return !new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm').test(text);
  });
  expect(PLACES.length).toBeGreaterThan(10);
  expect(missing.map(([row]) => row)).toEqual([]);
});

/** The rule of the page, as a module that stands where the page puts it. */
async function writtenRule(): Promise<Rule> {
  const [, code = ''] = /^<!-- rule -->\n```ts\n(.*?)^```$/ms.exec(page) ?? [];
  const here = path.join(source, 'analysis/check/policy');
  const moved = code.replaceAll(/from '([.#][^']+)'/g, (_all, file: string) => `from '${fileOf(here, file)}'`);
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-rule-'));
  try {
    const file = path.join(folder, 'rule.ts');
    writeFileSync(file, moved);
    return ((await import(pathToFileURL(file).href)) as { readonly default: Rule }).default;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const fileOf = (here: string, name: string): string =>
  name.startsWith('#') ? path.join(source, name.slice(1)) : path.join(here, name);

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
