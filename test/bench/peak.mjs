// Loaded into a process with --import: at its end, it tells file descriptor 3 the most memory it took, in bytes, and
// the milliseconds of processor time of all its threads.
import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// On Linux maxRSS also counts what the process that started this one had by then; VmHWM does not.
function peak() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
}

function processor() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

if (isMainThread) process.on('exit', () => writeSync(3, `${peak()} ${processor()}`));
