// Required by the processes that tests start. Each plugin is a process, and would load Babel to compile its module:
// what jiti compiles of this repository is kept in node_modules instead, beside the content it belongs to.
const Module = require('node:module');
const path = require('node:path');

const project = path.join(__dirname, '../..');
const kept = path.join(project, 'node_modules/.cache/plugins');
const { require: load } = Module.prototype;

Module.prototype.require = function (name) {
  const loaded = load.call(this, name);
  if (name !== 'jiti') return loaded;
  const createJiti = (file, options) =>
    loaded.createJiti(file, file.startsWith(`${project}${path.sep}`) ? { ...options, fsCache: kept } : options);
  return { ...loaded, createJiti };
};
