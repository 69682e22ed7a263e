import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ctx } from '../../support/memory-io.js';

const SESSION = readFileSync('fixtures/weather.jsonl', 'utf8');

const COMMANDS: readonly (readonly string[])[] = [
  ['show', 's.jsonl'],
  ['show', 's.jsonl', '--each'],
  ['log', 's.jsonl'],
  ['log', 's.jsonl', '-n', '2'],
  ['tree', 's.jsonl'],
  ['tree', 's.jsonl', '--json'],
  ['cat', 's.jsonl', 'HEAD', '--raw'],
  ['grep', 'e', 's.jsonl', '--where', 'all'],
  ['diff', 's.jsonl', 'HEAD~2..HEAD'],
  ['cache', 's.jsonl', '--format', 'csv'],
  ['status', '--history', 's.jsonl', '--limit', '200k'],
  ['status', 's.jsonl'],
  ['stats', 's.jsonl'],
  ['facts', 's.jsonl'],
  ['loss', 's.jsonl'],
  ['export', 's.jsonl', '--format', 'json'],
  ['prune', 's.jsonl', '--limit', '200k', '--dry-run'],
  ['compact', 's.jsonl', '--keep-recent', '10', '--dry-run'],
  ['extract', 's.jsonl', '--dry-run'],
  ['migrate', 's.jsonl', '--check'],
  ['redact', 's.jsonl', '--dry-run'],
  ['show', 's.jsonl', '--redact'],
  ['engine', 'run', 's.jsonl', '--budget', '200k'],
  ['show', 's.jsonl', '--at', 'no-such-entry'],
];

it.each(COMMANDS.map((argv) => [argv.join(' '), argv] as const))(
  'ctx %s closes its files after printing',
  async (_, argv) => {
    const left = new Set<object>();
    let opened = 0;
    const ran = await ctx(
      argv.filter((word) => word !== undefined),
      {
        files: { 's.jsonl': SESSION },
        onOpen(source) {
          opened += 1;
          const watched = {
            ...source,
            read(offset: number, length: number): Uint8Array {
              expect(left).toContain(watched);
              return source.read(offset, length);
            },
            close(): void {
              left.delete(watched);
              source.close();
            },
          };
          left.add(watched);
          return watched;
        },
      },
    );
    expect({ stderr: ran.stderr, isOpened: opened > 0, left: left.size }).toMatchObject({ isOpened: true, left: 0 });
  },
);
