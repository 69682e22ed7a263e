import { expect, it } from 'vitest';
import type { Strategy } from '#change/prune/define.js';
import { strategies } from '#change/prune/strategies/index.js';
import { listOptions } from '#cli/commands/part-options.js';
import { expectGenerated } from '../support/generated.js';

async function page(): Promise<string> {
  const intro =
    'Generated from their definitions. `ctx prune --explain STRATEGY` prints the same text. How they are combined, and ' +
    'which messages are never changed, is described in [pruning](../use/pruning.md).';
  return `${['# Strategies of ctx prune', intro, ...(await Promise.all(strategies.map(section)))].join('\n\n')}\n`;
}

async function section(strategy: Strategy): Promise<string> {
  const options = listOptions(strategy);
  const rows = options.map(({ name, type, default: fallback, meaning }) => {
    const without = fallback === null ? '' : `\`${JSON.stringify(fallback)}\``;
    return `| \`${name}\` | ${type} | ${without} | ${meaning} |`;
  });
  const table = ['| Option | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
  const { name, summary, help } = strategy;
  return [`## ${name}`, `${summary}.`, help, ...(rows.length > 0 ? [table] : [])].join('\n\n');
}

it('docs/reference/strategies.md is generated from the definitions', async () => {
  expectGenerated('docs/reference/strategies.md', await page());
});

it('every option of a strategy has a meaning', async () => {
  for (const strategy of strategies)
    for (const { name, meaning, isRequired } of listOptions(strategy)) {
      expect(meaning, `${strategy.name}.${name}`).not.toBe('');
      expect(isRequired, `${strategy.name}.${name}`).toBe(false);
    }
});
