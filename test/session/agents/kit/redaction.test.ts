import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { loadCommands } from '#cli/commands/index.js';
import { ctx } from '../../../support/memory-io.js';
import { tried } from '../../../support/runs.js';
import { diceOf } from '../../../support/seeded-secrets.js';
import { FIXTURES, listPaths, parseValues, printValues, replaceAt } from './content.js';
import { listReadingLines, startHookHere as startPlugin } from './lines.js';

const taking = new Set((await loadCommands()).flatMap(({ name, takesRedact }) => (takesRedact ? [name] : [])));
const dice = diceOf(21);

function newToken(): string {
  return `ghp_${dice('A-Za-z0-9', 36)}`;
}

/** The values of a file with a secret of its own in each text: in each string with a space, which no id and no name has. */
function plantTokens(values: readonly JsonObject[]): { readonly text: string; readonly tokens: readonly string[] } {
  const tokens: string[] = [];
  let planted: unknown = values;
  for (const path of listPaths(values)) {
    const value = path.reduce<unknown>((at, key) => (at as JsonObject)[key], values);
    if (typeof value !== 'string' || !value.includes(' ') || value.startsWith('{')) continue;
    const token = newToken();
    tokens.push(token);
    planted = replaceAt(planted, path, `${token} ${value} ${token}`);
  }
  return { text: printValues(planted as JsonObject[]), tokens };
}

/** Screens do not depend on the agent, so that one file of each is enough. */
const FIRST = FIXTURES.filter(({ name, agent }) => name === agent.fixtures[0]).map((one, nth) => ({ ...one, nth }));

describe.each(FIRST)('secrets in every text of $name', ({ text, nth }) => {
  const { text: planted, tokens } = plantTokens(parseValues(text));
  const folder = `/home/ada/${newToken()}`;
  const secrets = [...tokens, folder.slice(-40)];
  const readingLines = listReadingLines(`${folder}/s`).filter(
    ([command = '', other]) => taking.has(command) || taking.has(`${command} ${other}`),
  );
  // Where not all is tried, each line is tried with every third agent.
  const lines = tried(readingLines, 3, nth);

  /** Also the beginning or the end of one. */
  const leaksIn = (all: string): readonly string[] =>
    secrets.filter((token) => all.includes(token.slice(0, 12)) || all.includes(token.slice(-12)));

  it('leave through no screen with --redact', async () => {
    expect(tokens.length).toBeGreaterThan(2);
    const files = { [`${folder}/s`]: planted };
    const leaked = new Set<string>();
    for (const argv of lines)
      for (const format of argv.includes('--format') || argv.includes('--json') ? [[]] : [[], ['--json']]) {
        const ran = await ctx([...argv, ...format, '--redact'], { files, columns: 100, startPlugin });
        const { [`${folder}/s`]: _, ...written } = ran.files;
        const outputs = Object.entries(written).flatMap(([name, content]) => [name, Buffer.from(content).toString()]);
        const found = leaksIn([ran.stdout, ran.stderr, ...outputs].join('\n'));
        expect([argv, format, found]).toEqual([argv, format, []]);
      }
    // Without the flag there is something to hide.
    for (const command of ['show', 'log']) {
      const { stdout } = await ctx([command, `${folder}/s`, '--json'], { files });
      for (const token of leaksIn(stdout)) leaked.add(token);
    }
    expect(leaked.size).toBeGreaterThan(2);
  });
});
