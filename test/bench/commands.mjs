// Every command that reads one session, beside plain parsing of its lines: processor time and peak memory.
//
//   npm run bench:commands [-- --size 100MB] [--rounds 1] [--limit 120] [--only show,report] [--file FILE]
//
// --limit is the number of seconds after which a case is stopped; --only keeps the cases whose name begins so.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bytesOf, writeBigSession } from './big-session.mjs';
import { compare, kept, table } from './measure.mjs';

const text = (value) => ({ type: 'string', default: value });
const { values } = parseArgs({
  options: { size: text('100MB'), rounds: text('1'), limit: text('120'), only: text(''), file: text() },
});
const active = 0.2;
const file =
  values.file ??
  kept(`scattered, ${active} of it active, ${values.size}.jsonl`, (path) =>
    writeBigSession(path, { size: bytesOf(values.size), shape: 'scattered', active }),
  );
const folder = mkdtempSync(join(tmpdir(), 'ctx-commands-'));

/** The command lines, in which FILE is the session, and OUT the beginning of the path of a new file. */
const COMMANDS = [
  'show FILE',
  'show FILE --json',
  'show FILE --full',
  'show FILE --each',
  'show FILE --tokenizer o200k',
  'tree FILE',
  'tree FILE --json',
  'log FILE',
  'log FILE -n 20',
  'log FILE --graph',
  'log FILE --all',
  'cat FILE HEAD',
  'ls FILE',
  'grep zeppelin|the FILE --max 1000',
  'grep zeppelin FILE --where all',
  'grep zeppelin FILE --where hidden',
  'cache FILE',
  'check FILE',
  'check FILE --rules file,tree',
  'repair FILE --dry-run',
  'diff FILE HEAD~40 HEAD',
  'loss FILE',
  'facts FILE',
  'stats FILE',
  'stats FILE --tokenizer o200k',
  'status FILE --limit 200k',
  'prune FILE --dry-run',
  'prune FILE --zone compact --dry-run',
  'compact FILE --dry-run',
  'engine run FILE',
  'engine check three-phase FILE',
  'simulate FILE',
  'report FILE -o OUT.html --force',
  'export FILE --format text',
  'export FILE --format markdown',
  'export FILE --format anthropic',
  'export FILE --format parquet -o OUT.tables --force',
  'migrate FILE --compactions -o OUT.jsonl --force',
  'redact FILE -o OUT.jsonl --force',
  'extract FILE -o OUT.jsonl --force',
];

function argsOf(command, index) {
  const path = join(folder, String(index));
  return command.split(' ').map((word) => (word === 'FILE' ? file : word.replace('OUT', path)));
}

const wanted = values.only.split(',');
const commands = COMMANDS.filter((command) => wanted.some((start) => command.startsWith(start))).map(
  (command, index) => ({ name: command.replace(' FILE', ''), args: ['bin/ctx.js', ...argsOf(command, index)] }),
);
const plain = { name: 'JSON.parse of every line', args: ['test/bench/plain.mjs', file] };
// Without the index, which answers some of them from the round before.
const cases = [plain, ...commands].map((one) => ({ ...one, reads: [file], env: { CTX_INDEX_DIR: '' } }));
try {
  const results = compare(cases, Number(values.rounds), { isProcessorTimed: true, limit: Number(values.limit) });
  console.log(`Node ${process.version}, ${values.rounds} rounds, ${(statSync(file).size / 1e6).toFixed(0)} MB\n`);
  console.log(table(['case', 'processor s', '× parsing', 'wall s', 'peak MB'], results.map(rowOf(results[0]))));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function rowOf(parsing) {
  return ({ name, processor, median, peak, skipped }) => {
    if (skipped !== undefined) return [name, skipped, '', '', ''];
    const seconds = [processor / 1e3, processor / parsing.processor, median / 1e3].map((figure) => figure.toFixed(2));
    return [name, ...seconds, (peak / 1e6).toFixed(0)];
  };
}
