#!/usr/bin/env node
// Runs a command line. The program is loaded with its compiled code, which saves half of the time that a start takes.
const path = require('node:path');

const PROGRAM = './main.js';
const FOLDER = path.join(__dirname, '../dist/cli');
const [first, ...others] = process.argv.slice(2);

if (require.main !== module) exports.compile = compile;
// A version is printed with nothing else loaded.
else if (others.length === 0 && (first === '--version' || first === '-V'))
  require('../dist/cli/version.js').print(process);
// When all is written, to end at once is faster than to take down what has run.
else
  void load()
    .main(process)
    .then(() => process.exit());

/** What the program exports. */
function load() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined) return loaderWith(() => {})(PROGRAM);
  // Node 22 and newer keep compiled code themselves.
  enableCompileCache();
  return require('../dist/cli/main.js');
}

/** Runs command lines and writes down what was compiled: by the first ones of the files that they load, by all of the others. */
async function compile(firstLines, otherLines) {
  const scripts = new Map();
  const program = loaderWith((file, script) => scripts.set(file, script))(PROGRAM);
  const { writeFileSync } = require('node:fs');
  const { enableCompileCache } = require('node:module');
  const keep = (file) => enableCompileCache || writeFileSync(compiledFile(file), scripts.get(file).createCachedData());
  const run = (line) => program.main(Object.create(process, { argv: { value: [process.execPath, 'ctx', ...line] } }));
  for (const line of firstLines) await run(line);
  const kept = [...scripts.keys()];
  for (const file of kept) keep(file);
  for (const line of otherLines) await run(line);
  for (const file of scripts.keys()) if (!kept.includes(file)) keep(file);
}

/**
 * Gives a `require` that runs each file of the program with what was compiled of it, if the same version of Node did
 * that. What Node does besides to find a file takes longer than to run one.
 */
function loaderWith(onScript) {
  const { existsSync, readFileSync } = require('node:fs');
  const { createRequire, wrap } = require('node:module');
  const { Script } = require('node:vm');
  const run = (filename) => {
    const cachedData = existsSync(compiledFile(filename)) ? readFileSync(compiledFile(filename)) : undefined;
    const script = new Script(wrap(readFileSync(filename, 'utf8')), { filename, cachedData });
    onScript(filename, script);
    const loaded = { exports: {} };
    require.cache[filename] = loaded;
    script.runInThisContext()(loaded.exports, requireHere, loaded, filename, FOLDER);
  };
  const requireHere = (name) => {
    if (!name.startsWith('./')) return createRequire(path.join(FOLDER, PROGRAM))(name);
    const filename = path.join(FOLDER, name);
    if (!require.cache[filename]) run(filename);
    return require.cache[filename].exports;
  };
  return requireHere;
}

function compiledFile(file) {
  return file.replace(/js$/, 'compiled');
}
