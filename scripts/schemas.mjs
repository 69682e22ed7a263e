// Prints the JSON Schemas of docs/schema by name. A docstring above a key of a schema becomes its description there.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What people write: there a value that has a default may be left out. */
const INPUTS = ['config'];

const ENTRY = `
import * as z from 'zod/mini';
import { schemas } from './src/cli/schemas.ts';
const INPUTS = ${JSON.stringify(INPUTS)};
// Editors that fetch a schema, as from SchemaStore, know it by this address, which serves the published file.
const idOf = (name) => (INPUTS.includes(name) ? { $id: \`https://unpkg.com/pi-ctx/docs/schema/\${name}.json\` } : {});
const one = ([name, schema]) =>
  [name, { title: name, ...idOf(name), ...z.toJSONSchema(schema, INPUTS.includes(name) ? { io: 'input' } : {}) }];
export default Object.fromEntries(Object.entries(schemas).map(one));
`;

/** A schema may be the value of several keys, so each gets a copy. A schema with an id is described at its definition. */
const HELPER = `
import * as z from 'zod/mini';
export function described(value, description) {
  if (typeof value !== 'object' || value === null || !('_zod' in value)) return value;
  const known = z.globalRegistry.get(value);
  if (known?.id !== undefined) return value;
  const copy = z.clone(value);
  z.globalRegistry.add(copy, { ...known, description });
  return copy;
}
`;

function docstringOf(node) {
  const doc = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment)?.replaceAll(/\s+/g, ' ').trim();
}

/** The insertions that wrap the value of a documented key or variable: `described(VALUE, "docstring")`. */
function insertionsAt(node) {
  const isShort = ts.isShorthandPropertyAssignment(node);
  if (!isShort && !ts.isPropertyAssignment(node) && !ts.isVariableDeclaration(node)) return [];
  const doc = docstringOf(node);
  const end = `, ${JSON.stringify(doc)})`;
  if (!doc || !(isShort || node.initializer)) return [];
  if (isShort) return [[node.name.end, `: described_(${node.name.text}${end}`]];
  const { initializer } = node;
  return [
    [initializer.getStart(), 'described_('],
    [initializer.end, end],
  ];
}

function withDescriptions(text, file) {
  const found = [];
  const visit = (node) => {
    found.push(...insertionsAt(node));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  const wrapped = found
    .toSorted(([one], [other]) => other - one)
    .reduce((rest, [at, inserted]) => rest.slice(0, at) + inserted + rest.slice(at), text);
  return `import { described as described_ } from 'described';\n${wrapped}`;
}

const descriptions = {
  name: 'descriptions',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^described$/ }, () => ({ path: 'described', namespace: 'descriptions' }));
    // Of the commands only the names are read.
    onResolve({ filter: /^\./ }, ({ path: file, importer, kind }) =>
      kind === 'dynamic-import' && /[\\/]commands[\\/]index\.ts$/.test(importer)
        ? { path: file, external: true }
        : null,
    );
    onLoad({ filter: /./, namespace: 'descriptions' }, () => ({ contents: HELPER, resolveDir: root }));
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      return { contents: text.includes("'zod/mini'") ? withDescriptions(text, file) : text, loader: 'ts' };
    });
  },
};

const folder = await mkdtemp(path.join(tmpdir(), 'ctx-schemas-'));
try {
  const outfile = path.join(folder, 'schemas.mjs');
  await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    external: ['jiti', '@duckdb/node-api', 'node-sqlite3-wasm'],
    plugins: [descriptions],
  });
  const { default: published } = await import(pathToFileURL(outfile).href);
  process.stdout.write(JSON.stringify(published));
} finally {
  await rm(folder, { recursive: true });
}
