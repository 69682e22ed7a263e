import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect } from 'vitest';
import { type TableName, tables } from '#analysis/tables/index.js';
import { ctx, type Ran, type World } from './memory-io.js';

export type Tables = { readonly [Name in TableName]: Uint8Array };
export type Row = Readonly<Record<string, unknown>>;

/** Sessions as Parquet files, and what the command said. */
export async function exported(
  sessions: readonly string[],
  world: World,
): Promise<{ readonly ran: Ran; readonly tables: Tables }> {
  const ran = await ctx(['export', ...sessions, '--format', 'parquet', '-o', 'out'], world);
  expect([ran.exitCode, ran.stderr.match(/^ctx: (?!warning)/m)]).toEqual([0, null]);
  const files = tables.map(({ name }) => [name, ran.files[`out/${name}.parquet`]] as const);
  return { ran, tables: Object.fromEntries(files) as Tables };
}

/** DuckDB over the files as they are, with nothing of ctx in between. */
export class Duck {
  private constructor(
    private readonly folder: string,
    private readonly instance: DuckDBInstance,
  ) {}

  static async over(files: Tables): Promise<Duck> {
    const folder = mkdtempSync(path.join(tmpdir(), 'ctx-tables-'));
    const duck = new Duck(folder, await DuckDBInstance.create(':memory:'));
    for (const { name } of tables) writeFileSync(duck.fileOf(name), files[name]);
    return duck;
  }

  fileOf(name: TableName): string {
    return path.join(this.folder, `${name}.parquet`);
  }

  /** `FROM usage` means the file of that name. Whole numbers come as numbers, times as milliseconds. */
  async ask(sql: string): Promise<readonly Row[]> {
    const connection = await this.instance.connect();
    const views = tables.map(({ name }) => `CREATE OR REPLACE TEMP VIEW ${name} AS FROM '${this.fileOf(name)}'`);
    await connection.run(views.join(';'));
    const rows = await (await connection.run(sql)).getRowObjectsJS();
    connection.closeSync();
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  }

  close(): void {
    this.instance.closeSync();
    rmSync(this.folder, { recursive: true });
  }
}

/** Money has nine decimal places, which another reader may give as a product with an error. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number(value.toFixed(9));
  return value instanceof Date ? value.getTime() : value;
}
