// A question about one session or a folder of them, asked by DuckDB from the lines themselves. Exits with 77 if DuckDB
// is not installed.
//
//   node test/bench/duckdb-lines.mjs FILE|FOLDER cost|tools|errors
import { statSync } from 'node:fs';

const [path, question] = process.argv.slice(2);
const duckdb = await import('@duckdb/node-api').catch(() => null);
if (duckdb === null) {
  console.error('DuckDB is not installed');
  process.exitCode = 77;
} else await ask(duckdb);

async function ask({ DuckDBInstance }) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const files = statSync(path).isDirectory() ? `${path}/**/*.jsonl` : path;
  const lines = (columns) =>
    `read_json('${files}', format = 'newline_delimited', maximum_object_size = 100000000, columns = {${columns}})`;
  const COST = 'usage STRUCT(cost STRUCT(total DOUBLE))';
  const QUESTIONS = {
    cost: `SELECT coalesce(message.model, model), sum(coalesce(message.usage.cost.total, usage.cost.total)) FROM ${lines(`message: 'STRUCT(model VARCHAR, ${COST})', model: 'VARCHAR', ${COST.replace('usage ', "usage: '")}'`)} GROUP BY ALL`,
    tools: `SELECT block.name, count(*) FROM (SELECT unnest(from_json(message.content, '[{"type":"VARCHAR","name":"VARCHAR"}]')) AS block FROM ${lines(`message: 'STRUCT(role VARCHAR, content JSON)'`)} WHERE message.role = 'assistant') WHERE block.type = 'toolCall' GROUP BY ALL`,
    errors: `SELECT message.toolName, count(*) FROM ${lines(`message: 'STRUCT(role VARCHAR, toolName VARCHAR, isError BOOLEAN)'`)} WHERE message.isError GROUP BY ALL`,
  };
  const result = await connection.runAndReadAll(QUESTIONS[question]);
  console.log(result.getRowsJson());
}
