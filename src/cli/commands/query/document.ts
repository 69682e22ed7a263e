import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** A line of `ctx query --json` for each row. */
export const queryRowLine = jsonDocument('ctx/query-row', {
  /**
   * The values by the names of the columns. Whole numbers that are not safe in JSON are texts; times are UTC, as DuckDB
   * writes them.
   */
  row: z.record(z.string(), z.unknown()),
});

export type QueryRowLine = z.infer<typeof queryRowLine>;

/** The output of `ctx query --tables --json`. */
export const tableList = jsonDocument('ctx/tables', {
  /** The version of the tables, which is `ctx.tablesVersion` in every Parquet file. */
  tablesVersion: z.int(),
  tables: z.array(
    z.object({
      name: z.string(),
      /** The meaning of a row. */
      about: z.string(),
      columns: z.array(
        z.object({
          name: z.string(),
          /** The name of the type in SQL. */
          type: z.enum(['VARCHAR', 'BIGINT', 'DOUBLE', 'DECIMAL(18,9)', 'TIMESTAMP', 'BOOLEAN']),
          nullable: z.boolean(),
          about: z.string(),
        }),
      ),
    }),
  ),
});

export type TableList = z.infer<typeof tableList>;
