// A question about many sessions, asked by DuckDB from the lines themselves. Exits with 77 if DuckDB is not installed.
//
//   node test/bench/duckdb-lines.mjs FOLDER cost|tools|errors
const [folder, question] = process.argv.slice(2);
const duckdb = await import('@duckdb/node-api').catch(() => null);
if (duckdb === null) {
  console.error('DuckDB is not installed');
  process.exitCode = 77;
} else await ask(duckdb);

async function ask({ DuckDBInstance }) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const lines = (columns) =>
    `read_json('${folder}/**/*.jsonl', format = 'newline_delimited', maximum_object_size = 100000000, columns = {${columns}})`;
  const QUESTIONS = {
    cost: `SELECT message.provider, message.model, sum(message.usage.cost.total) FROM ${lines(`message: 'STRUCT(provider VARCHAR, model VARCHAR, usage STRUCT(cost STRUCT(total DOUBLE)))'`)} GROUP BY ALL`,
    tools: `SELECT block.name, count(*) FROM (SELECT unnest(from_json(message.content, '[{"type":"VARCHAR","name":"VARCHAR"}]')) AS block FROM ${lines(`message: 'STRUCT(role VARCHAR, content JSON)'`)} WHERE message.role = 'assistant') WHERE block.type = 'toolCall' GROUP BY ALL`,
    errors: `SELECT message.toolName, count(*) FROM ${lines(`message: 'STRUCT(role VARCHAR, toolName VARCHAR, isError BOOLEAN)'`)} WHERE message.isError GROUP BY ALL`,
  };
  const result = await connection.runAndReadAll(QUESTIONS[question]);
  console.log(result.getRowsJson());
}
