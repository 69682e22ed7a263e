import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject } from '#base/json.js';
import { projectFolder } from '../../../support/files.js';
import { TESTED_AGENTS } from './agents.js';
import type { TestedAgent } from './define.js';

/** A fixture of an agent. */
export interface Fixture {
  readonly name: string;
  readonly agent: TestedAgent;
  readonly text: string;
}

export const FIXTURES: readonly Fixture[] = TESTED_AGENTS.flatMap((agent) =>
  agent.fixtures.map((name) => ({
    name,
    agent,
    text: readFileSync(path.join(projectFolder, 'fixtures/agents', name), 'utf8'),
  })),
);

/** Where a record is inserted: after this share of all records. */
type Place = number;

/** Inserts a record, as a line or into the list of a document. */
export function insertRecord(agent: TestedAgent, text: string, record: unknown, place: Place): string {
  if (agent.list === null) return insertLine(text, JSON.stringify(record), place);
  const document = JSON.parse(text) as Record<string, unknown[]>;
  const list = document[agent.list] ?? [];
  return JSON.stringify({ ...document, [agent.list]: list.toSpliced(Math.floor(list.length * place), 0, record) });
}

/** Inserts a line, but not before the first one. */
export function insertLine(text: string, line: string, place: Place): string {
  const lines = text.trimEnd().split('\n');
  return `${lines.toSpliced(1 + Math.floor((lines.length - 1) * place), 0, line).join('\n')}\n`;
}

/** The values of a file: of each line, or of the document. */
export function parseValues(text: string): readonly JsonObject[] {
  try {
    return [JSON.parse(text) as JsonObject];
  } catch {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
  }
}

export function printValues(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** A place in some values: the index of the value, and the keys from there. */
export type ValuePath = readonly (string | number)[];

/** All places with a value in some values, without the values themselves. */
export function* listPaths(value: unknown, at: ValuePath = []): Generator<ValuePath> {
  if (at.length > 1) yield at;
  const members = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : [];
  const fields = isObject(value) ? Object.entries(value) : [];
  for (const [key, item] of [...members, ...fields]) yield* listPaths(item, [...at, key]);
}

/** A copy of a value with another one in a place; undefined removes it. */
export function replaceAt(value: unknown, [key, ...rest]: ValuePath, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === key ? replaceAt(item, rest, by) : item));
  const fields = value as JsonObject;
  return { ...fields, [key]: replaceAt(fields[key], rest, by) };
}
