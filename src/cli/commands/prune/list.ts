import { CtxError } from '#base/errors.js';
import type { Strategy } from '#change/prune/define.js';
import { policy } from '#change/prune/policy-schema.js';
import { strategies } from '#change/prune/strategies/index.js';
import { stepsNamed } from '#cli/config/prune-policy.js';
import type { StrategyPage } from '#cli/config/report-schemas.js';
import { optionsOf } from '#cli/config/rule-options.js';
import type { Report } from '#ui/doc/define.js';
import { cell, type Doc, gap, heading } from '#ui/doc/doc.js';
import { optionWords, paragraphs } from '#ui/doc/paragraphs.js';
import type { Outcome } from '../define.js';

/** All strategies, a line for each. */
export async function listedStrategies(): Promise<Outcome> {
  const pages = await Promise.all(strategies.map(pageOf));
  const items = pages.map((page) => ({
    data: page,
    doc: (): Doc => [{ kind: 'row', isProse: true, cells: [cell(page.name, 10, 'strong'), cell(page.summary)] }],
  }));
  return { kind: 'stream', items, end: () => ({ problems: [] }) };
}

/** What one of them does, and what can be set. Throws a CtxError (usage) for a name that none has. */
export async function explainedStrategy(name: string): Promise<Outcome> {
  const [step] = stepsNamed(name, policy.parse({}), 'green');
  if (!step) throw new CtxError('usage', 'no strategy is named', { hint: 'ctx prune --list' });
  const page = await pageOf(step.strategy);
  const { summary, help, options } = page;
  const doc: Report['doc'] = (view) => [
    heading(1, page.name),
    ...paragraphs(`${summary}.`, view),
    gap,
    ...paragraphs(help, view),
    ...(options.length === 0
      ? []
      : [gap, heading(2, 'Options'), ...paragraphs(options.map(optionWords).join('\n'), view)]),
  ];
  return { kind: 'report', report: { data: page, doc }, problems: [] };
}

async function pageOf(strategy: Strategy): Promise<StrategyPage> {
  const { name, summary, help } = strategy;
  const options = (await optionsOf(strategy)).map((option) => ({ ...option }));
  return { schema: 'ctx/strategy', schemaVersion: 1, name, summary, help, options };
}
