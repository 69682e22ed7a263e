import { it } from 'vitest';
import { BROKEN_SESSIONS } from '../clients/broken-sessions.js';
import { readCopiedOutcomes, type SessionKind } from '../clients/copied-outcomes.js';
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
  expectGeneratedPart('docs/lab/clients.md', 'faults', `\n${table.join('\n')}\n`);
});

/** What became of copies, as the columns of a table. */
const COLUMNS = {
  equal: 'equal',
  known: 'known difference',
  original: 'original differs, too',
  refused: 'refused by ctx',
  differs: 'not explained',
  rewound: 'gone back in',
} as const;

const COMMANDS = ['prune', 'compact', 'revert', 'repair', 'redact', 'extract', 'apply'];
const KINDS: readonly SessionKind[] = ['recorded', 'generated'];

it('the table of copies is generated from a study with real clients', () => {
  const outcomes = Object.entries(readCopiedOutcomes());
  const rows = outcomes.flatMap(([client, { commands: _, ...kinds }]) =>
    KINDS.flatMap((kind) => {
      const tally = kinds[kind];
      if (Object.keys(tally).length === 0) return [];
      return [[client, kind, ...Object.keys(COLUMNS).map((outcome) => tally[outcome as keyof typeof COLUMNS] ?? 0)]];
    }),
  );
  const shares = outcomes.map(([client, { commands }]) => [client, ...COMMANDS.map((name) => commands[name] ?? 0)]);
  const text = [
    buildTable(['Client', 'Sessions'], Object.values(COLUMNS), rows),
    'The copies that were opened, by the command:',
    buildTable(
      ['Client'],
      COMMANDS.map((name) => `\`${name}\``),
      shares,
    ),
  ];
  expectGeneratedPart('docs/lab/clients.md', 'copied', `\n${text.join('\n\n')}\n`);
});

/** A table whose first columns are names, and the others numbers. */
function buildTable(
  names: readonly string[],
  numbers: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const head = [...names, ...numbers].join(' | ');
  const rule = [...names.map(() => '---'), ...numbers.map(() => '---:')].join(' | ');
  return [head, rule, ...rows.map((row) => row.join(' | '))].map((row) => `| ${row} |`).join('\n');
}
