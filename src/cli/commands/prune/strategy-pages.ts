import { CtxError } from '#base/errors.js';
import type { Strategy } from '#change/prune/define.js';
import { policySchema } from '#change/prune/policy-schema.js';
import { readStrategies } from '#change/prune/policy.js';
import { strategies } from '#change/prune/strategies/index.js';
import { cell, type Doc, proseRow } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import type { Outcome } from '../define.js';
import { listOptions, renderPartPage } from '../part-options.js';
import type { StrategyPage } from './document.js';

/** All strategies, a line for each. */
export function listStrategies(): Outcome {
  const pages = strategies.map(buildStrategyPage);
  const items = pages.map((page) => ({
    data: page,
    doc: (): Doc => [proseRow([cell(page.name, 10, 'strong'), cell(page.summary)])],
  }));
  return { kind: 'stream', batches: [items], end: () => ({ problems: [] }) };
}

/** The manual page of a strategy, with its options. Throws a CtxError (usage) for an unknown name. */
export function explainStrategy(name: string): Outcome {
  const [stage] = readStrategies(name, policySchema.parse({}), 'green');
  if (!stage) throw new CtxError('usage', 'no strategy is named', { hint: 'ctx prune --list' });
  const page = buildStrategyPage(stage.strategy);
  const doc: Printable['doc'] = (view) => renderPartPage(page, '', view);
  return { kind: 'single', item: { data: page, doc }, problems: [] };
}

function buildStrategyPage(strategy: Strategy): StrategyPage {
  const { name, summary, help } = strategy;
  return { schema: 'ctx/strategy', schemaVersion: 1, name, summary, help, options: listOptions(strategy) };
}
