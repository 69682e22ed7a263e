// The first script of the single file: unpacks the package into the user's cache, once, and runs it from there. Threads
// and child processes need files, and a child process is this program again, with one of those files to run.
const { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir } = require('node:os');
const path = require('node:path');
const { getRawAsset } = require('node:sea');
const { gunzipSync } = require('node:zlib');

const cache = process.env.XDG_CACHE_HOME || process.env.LOCALAPPDATA || path.join(homedir(), '.cache');
const folder = path.join(cache, 'ctx', 'program', 'KEY');
if (!existsSync(folder)) unpack();

const bin = path.join(folder, 'node_modules/pi-ctx/bin/ctx.js');
const isScript = process.argv[2]?.startsWith(folder + path.sep) && existsSync(process.argv[2]);
// As Node.js has it: the program, the script, and the arguments of the script.
process.argv.splice(1, isScript ? 1 : 0);
if (!isScript) process.argv[1] = bin;
createRequire(bin)(path.join(folder, 'run.cjs'))(process.argv[1]);

/** Unpacks beside the folder and renames, so that an interrupted run leaves nothing half done. */
function unpack() {
  const made = `${folder}.${process.pid}`;
  const files = JSON.parse(gunzipSync(Buffer.from(getRawAsset('package'))).toString());
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(made, 'node_modules', name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, Buffer.from(content, 'base64'));
  }
  writeFileSync(
    path.join(made, 'run.cjs'),
    "module.exports = (file) => import(require('node:url').pathToFileURL(file));\n",
  );
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true });
  }
}
