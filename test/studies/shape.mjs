// The shape of src/: files, lines, functions, names, walks. docs/architecture.md quotes it.
//
//   npm run shape [-- --list WHAT]     WHAT: functions, names, replays, single
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const LONGEST_OUTSIDE = /^session\/(scan|wasm)\//;
const files = readdirSync('src', { recursive: true })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => {
    const text = readFileSync(path.join('src', name), 'utf8');
    const kind = name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    return { name, text, tree: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true, kind) };
  });
const code = files.filter(({ name }) => !/\.as\.ts$|\.wasm\.ts$/.test(name));

/** Named functions with a block body: lines of the body without its braces. */
function functionsOf({ name, tree }) {
  const found = [];
  visit(tree);
  return found;

  function visit(node) {
    const body = ts.isFunctionLike(node) && node.body && ts.isBlock(node.body) ? node.body : null;
    const own = body && (node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : null));
    if (own)
      found.push({
        name: `${name} ${own.getText()}`,
        lines: Math.max(1, lineAt(body.end) - lineAt(body.getStart()) - 1),
      });
    ts.forEachChild(node, visit);
  }
  function lineAt(position) {
    return tree.getLineAndCharacterOfPosition(position).line;
  }
}

/** Exported types by name; those of one name in several files. */
function namesTwice() {
  const places = new Map();
  for (const { name, tree } of code) {
    for (const node of tree.statements) {
      const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
      const isExported = isType && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (isExported && node.name) places.set(node.name.text, [...(places.get(node.name.text) ?? []), name]);
    }
  }
  return [...places].filter(([, where]) => where.length > 1).map(([name, where]) => `${name}: ${where.join(', ')}`);
}

/** Files outside of context/ that construct a replay. */
function replays() {
  return code.flatMap(({ name, text }) =>
    name.startsWith('context/') ? [] : [...text.matchAll(/new Replay\(/g)].map(() => name),
  );
}

/** Files that one other file imports, and that are no part of a shelf: a shelf's list imports its parts. */
function importedOnce() {
  const importers = new Map();
  for (const { name, text } of code) {
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      const target = fileName.startsWith('#') ? fileName.slice(1) : path.join(path.dirname(name), fileName);
      const file = target.replace(/\.js$/, '.ts');
      importers.set(file, (importers.get(file) ?? new Set()).add(name));
    }
  }
  const single = [...importers].filter(([, by]) => by.size === 1 && !/(^|\/)(index|rules)\.ts$/.test([...by][0]));
  const known = new Set(code.map(({ name }) => name));
  return single.filter(([file]) => known.has(file)).map(([file, by]) => `${file} (by ${[...by][0]})`);
}

const functions = code.flatMap(functionsOf).toSorted((a, b) => a.lines - b.lines);
const share = (part) => functions[Math.ceil(functions.length * part) - 1].lines;
const longest = functions.findLast(({ name }) => !LONGEST_OUTSIDE.test(name));
const lists = {
  functions: functions.slice(-40).map(({ name, lines }) => `${lines} ${name}`),
  names: namesTwice(),
  replays: replays(),
  single: importedOnce(),
};

const what = process.argv[process.argv.indexOf('--list') + 1];
if (process.argv.includes('--list')) console.log(lists[what].join('\n'));
else
  console.table({
    files: files.length,
    'lines of src/': files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    'lines of a function, median': share(0.5),
    'lines of a function, 90 %': share(0.9),
    'longest function outside the scanner': longest.lines,
    'exported names of more than one type': lists.names.length,
    'replays constructed outside context/': lists.replays.length,
    'files imported by one other file only': lists.single.length,
  });
