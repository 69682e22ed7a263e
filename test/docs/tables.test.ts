import { it } from 'vitest';
import type { Table } from '#analysis/tables/define.js';
import { tables, TABLES_VERSION } from '#analysis/tables/index.js';
import { ENTRY_COLUMNS, SESSION_COLUMNS } from '#analysis/tables/shared-columns.js';
import { SQL_TYPES } from '#analysis/tables/sql-types.js';
import { expectGenerated } from '../support/generated.js';

const INTRODUCTION = `# Tables

Generated from the definitions of the tables; \`ctx query --tables\` prints the same text. \`ctx query\` queries them, and \`ctx export --format parquet\` writes each to a file: see [query](../use/query.md).

Columns that end in \`_recorded\` contain values of providers; those that end in \`_estimated\` are estimates of four characters per token. Times are UTC. Null means unknown. Recorded counts are rounded to whole numbers.

In Parquet, \`VARCHAR\` is UTF-8 text, \`BIGINT\` is \`INT64\`, \`TIMESTAMP\` is \`INT64\` in milliseconds since 1970 (\`TIMESTAMP_MILLIS\`), and a column that can be null is \`OPTIONAL\`. Each file contains the version of the tables, ${TABLES_VERSION}, under \`ctx.tablesVersion\`. It is incremented when a column changes its meaning or is removed, but not when a column is added.`;

function page(): string {
  const common = [
    '## In every table',
    rowsOf({ name: '', about: '', columns: SESSION_COLUMNS }, new Set()),
    '## In every table but `sessions`',
    rowsOf({ name: '', about: '', columns: ENTRY_COLUMNS }, new Set(Object.keys(SESSION_COLUMNS))),
  ];
  const own = tables.flatMap((table) => [
    `## ${table.name}`,
    `A row is ${table.about}.`,
    rowsOf(table, new Set(Object.keys(table.name === 'sessions' ? SESSION_COLUMNS : ENTRY_COLUMNS))),
  ]);
  return `${[INTRODUCTION, ...common, ...own].join('\n\n')}\n`;
}

function rowsOf({ columns }: Table, others: ReadonlySet<string>): string {
  const rows = Object.entries(columns)
    .filter(([name]) => !others.has(name))
    .map(
      ([name, { kind, canBeNull, about }]) =>
        `| \`${name}\` | ${SQL_TYPES[kind]}${canBeNull ? ', or null' : ''} | ${about} |`,
    );
  return ['| Column | Type | Content |', '| --- | --- | --- |', ...rows].join('\n');
}

it('docs/reference/tables.md is generated from the definitions', () => {
  expectGenerated('docs/reference/tables.md', page());
});
