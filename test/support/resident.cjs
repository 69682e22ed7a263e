// Runs command lines of the built program one after another in this process. They come as lists of words from the
// parent, and from the shells that the parent starts as folders: see resident.ts.
const fs = require('node:fs');
const path = require('node:path');
const bin = path.join(__dirname, '../../bin/ctx.js');
const chance = require.resolve('./fixed-chance.cjs');

// Each command listens for signals to the end of its process, which here is that of all.
process.setMaxListeners(0);

/** The descriptors that take the place of standard input, standard output and standard error. */
let standard = {};
const { createReadStream, writeSync } = fs;
fs.writeSync = (descriptor, ...rest) => writeSync(standard[descriptor] ?? descriptor, ...rest);
fs.createReadStream = (file, options) => {
  const { fd } = options ?? {};
  return createReadStream(file, { ...options, ...(fd === undefined ? {} : { fd: standard[fd] ?? fd }) });
};

async function run(words) {
  // New ids begin with the first again, as in a process of its own.
  delete require.cache[chance];
  require(chance);
  process.argv = [process.execPath, bin, ...words];
  const { main } = await import('../../dist/cli/main.js');
  await main(process);
  return process.exitCode;
}

/** Runs the command line of a shell: its words, its environment and its input are in a folder, its output goes there. */
async function runIn(folder) {
  const file = (name) => path.join(folder, name);
  const listIn = (name) => fs.readFileSync(file(name), 'utf8').split('\0').slice(0, -1);
  const own = { ...process.env };
  for (const line of listIn('env')) process.env[line.slice(0, line.indexOf('='))] = line.slice(line.indexOf('=') + 1);
  const out = fs.openSync(file('out'), 'w');
  // The reader of the input closes it.
  standard = [fs.openSync(file('in')), out, fs.existsSync(file('err')) ? fs.openSync(file('err'), 'w') : out];
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => fs.createReadStream('', { fd: 0 }) });
  const exitCode = await run(listIn('words'));
  standard = {};
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own);
  fs.writeFileSync(file('code'), `${exitCode}\n`);
}

process.on('message', async (words) => process.send(await run(words)));

let last = Promise.resolve();
const calls = require('node:readline').createInterface(fs.createReadStream(process.env.CTX_CALLS, { flags: 'r+' }));
calls.on('line', (folder) => (last = last.then(() => runIn(folder))));
