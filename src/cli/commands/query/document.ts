import * as z from 'zod/mini';

/** A line of `ctx query --json` for each row. */
export const queryRow = z.object({
  schema: z.literal('ctx/query-row'),
  schemaVersion: z.literal(1),
  /** By the names of the columns. Whole numbers that are not safe in JSON are texts; times are UTC, as DuckDB writes them. */
  row: z.record(z.string(), z.unknown()),
});

/** The output of `ctx query --tables --json`. */
export const tableList = z.object({
  schema: z.literal('ctx/tables'),
  schemaVersion: z.literal(1),
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
          /** As SQL calls it. */
          type: z.enum(['VARCHAR', 'BIGINT', 'DOUBLE', 'TIMESTAMP', 'BOOLEAN']),
          nullable: z.boolean(),
          about: z.string(),
        }),
      ),
    }),
  ),
});
