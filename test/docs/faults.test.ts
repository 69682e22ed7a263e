import { it } from 'vitest';
import { BROKEN_SESSIONS } from '../clients/broken-sessions.js';
import { type CopiedOutcomes, readCopiedOutcomes, type SessionKind } from '../clients/copied-outcomes.js';
import { type Outcome, readOutcomes } from '../clients/outcomes.js';
import { expectGeneratedPart } from '../support/generated.js';

const WORDS: Readonly<Record<Outcome, string>> = {
  'goes on': 'goes on',
  'goes on after a refusal': 'after a refusal',
  'goes on without the beginning': 'without the beginning',
  'is refused': '**refused**',
  'never answers': '**no answer**',
};

/** The faults, with those of Claude Code first. */
const FAULTS = new Set(Object.values(BROKEN_SESSIONS).flatMap((faults) => Object.keys(faults)));

it('the table of faults is generated from what real clients did', () => {
  const outcomes = readOutcomes();
  const clients = [...new Set(Object.values(outcomes).flatMap((each) => Object.keys(each)))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const rows = [...FAULTS].map((fault) => {
    const cells = clients.map((client) => {
      const outcome = outcomes[fault]?.[client];
      return outcome === undefined ? '' : WORDS[outcome];
    });
    return `| ${[fault, ...cells].join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |');
  });
  const table = [
    `| Fault | ${clients.join(' | ')} |`,
    `| ${['---', ...clients.map(() => '---')].join(' | ')} |`,
    ...rows,
  ];
  expectGeneratedPart('docs/reference/agents.md', 'faults', `\n${table.join('\n')}\n`);
});

/** What became of copies, as the columns of a table. */
const COLUMNS = {
  equal: 'equal',
  known: 'known difference',
  original: 'original differs, too',
  refused: 'refused by ctx',
  differs: 'not explained',
} as const;

it('the table of copies is generated from a study with real clients', () => {
  const rows = Object.entries(readCopiedOutcomes()).flatMap(([client, kinds]) =>
    Object.entries(kinds).flatMap(([kind, tally]: readonly [string, CopiedOutcomes[string][SessionKind]]) => {
      if (Object.keys(tally).length === 0) return [];
      const cells = Object.keys(COLUMNS).map((outcome) => tally[outcome as keyof typeof COLUMNS] ?? 0);
      return `| ${[client, kind, ...cells].join(' | ')} |`;
    }),
  );
  const titles = Object.values(COLUMNS);
  const table = [
    `| Client | Sessions | ${titles.join(' | ')} |`,
    `| --- | --- | ${titles.map(() => '---:').join(' | ')} |`,
    ...rows,
  ];
  expectGeneratedPart('docs/reference/agents.md', 'copied', `\n${table.join('\n')}\n`);
});
