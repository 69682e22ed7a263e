// Loads the program together with its compiled code, which saves half of the time that a start takes.
const fs = require('node:fs');
const { Module } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

const PROGRAM = path.join(__dirname, '../dist/cli/main.js');
const FOLDER = path.dirname(PROGRAM);
/** Node 22 and newer keep compiled code themselves. */
const keepsCompiled = Module.enableCompileCache !== undefined;

/** What the program exports. */
exports.load = function load() {
  if (keepsCompiled) {
    Module.enableCompileCache();
    return require(PROGRAM);
  }
  return loadWith(() => {});
};

/** Runs command lines and writes down what was compiled: of the program by the first ones, of its other files by all. */
exports.compile = async function compile(firstLines, otherLines) {
  const scripts = new Map();
  const program = loadWith((file, script) => scripts.set(file, script));
  const keep = (file) => keepsCompiled || fs.writeFileSync(compiledFile(file), scripts.get(file).createCachedData());
  const run = (argv) => program.main(Object.create(process, { argv: { value: [process.execPath, 'ctx', ...argv] } }));
  for (const argv of firstLines) await run(argv);
  keep(PROGRAM);
  for (const argv of otherLines) await run(argv);
  for (const file of scripts.keys()) if (file !== PROGRAM) keep(file);
};

/** Has every file of the program run with what was compiled of it, if the same version of Node did that. */
function loadWith(onScript) {
  const usual = Module._extensions['.js'];
  Module._extensions['.js'] = (module, file) => {
    if (path.dirname(file) !== FOLDER) return usual(module, file);
    const cachedData = fs.existsSync(compiledFile(file)) ? fs.readFileSync(compiledFile(file)) : undefined;
    const script = new Script(Module.wrap(fs.readFileSync(file, 'utf8')), { filename: file, cachedData });
    onScript(file, script);
    script.runInThisContext()(module.exports, (name) => module.require(name), module, file, FOLDER);
  };
  return require(PROGRAM);
}

function compiledFile(file) {
  return file.replace(/js$/, 'compiled');
}
