// ctx on a session with one huge line: a message of the user that holds an image, or a text. Real Pi is left out:
// its time grows with the square of a line, to 17 seconds here.
//
//   npm run bench:one-line [-- --size 200MB] [--rounds 5]
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bytesOf } from './big-session.mjs';
import { compare, excuses, figures, kept, table } from './measure.mjs';

const { values } = parseArgs({
  options: { size: { type: 'string', default: '200MB' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);

// What a block holds, as it stands in JSON: a piece of about 30 KB, written again and again.
const contents = {
  image: { block: { type: 'image', data: '~', mimeType: 'image/png' }, piece: 'iVBORw0KGgoAAAANSUhEUgAA'.repeat(1200) },
  text: {
    block: { type: 'text', text: '~' },
    piece: 'The \\"rain\\" in Łódź\\n\\tstops at \\"noon\\", says `sky.js`.\\n'.repeat(500),
  },
};

function writeSession(path, { block, piece }, size) {
  const descriptor = openSync(path, 'w');
  const timestamp = '2026-03-02T09:00:00.000Z';
  const put = (value) => writeSync(descriptor, `${JSON.stringify(value)}\n`);
  const message = (id, parentId, said) => ({ type: 'message', id, parentId, timestamp, message: said });
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'That is a lot.' }], stopReason: 'stop' };
  put({ type: 'session', version: 3, id: 'one-line', timestamp, cwd: '/home/ada/weather' });
  put(message('00000001', null, { role: 'user', content: 'Look at this.' }));
  const [before, after] = JSON.stringify(message('00000002', '00000001', { role: 'user', content: [block] })).split(
    '~',
  );
  writeSync(descriptor, before);
  for (let written = 0; written < size; written += Buffer.byteLength(piece)) writeSync(descriptor, piece);
  writeSync(descriptor, `${after}\n`);
  put(message('00000003', '00000002', answer));
  closeSync(descriptor);
}

const cases = Object.entries(contents).flatMap(([kind, content]) => {
  const file = kept(`one-line-${kind}-${values.size}.jsonl`, (path) =>
    writeSession(path, content, bytesOf(values.size)),
  );
  const about = `${kind}, ${(statSync(file).size / 1e6).toFixed(0)} MB`;
  return [
    { name: `ctx show, ${about}`, args: ['bin/ctx.js', 'show', file], reads: [file] },
    { name: `ctx tree --json, ${about}`, args: ['bin/ctx.js', 'tree', file, '--json'], reads: [file] },
  ];
});

const results = compare(cases, rounds);
console.log(`Node ${process.version}, ${rounds} interleaved rounds\n`);
console.log(
  table(
    ['case', 'median ms', 'peak MB'],
    results.map((result) => [result.name, ...figures(result)]),
  ),
);
console.log(['', ...excuses(results).map((excuse) => `Skipped: ${excuse}\n`)].join('\n'));
