// Loaded before the built program: whoever asks for the network, for another program or for code from a text is written down and refused.
/** The calls that were refused. */
const asked = (exports.asked = []);
const trap = (holder, name, what) => {
  holder[name] = function trapped() {
    asked.push(`${what}.${name}`);
    throw new Error(`${what}.${name} was called`);
  };
};
const { Socket, Server } = require('node:net');
trap(Socket.prototype, 'connect', 'net.Socket');
trap(Server.prototype, 'listen', 'net.Server');
for (const name of ['net', 'tls', 'http', 'https', 'http2'])
  for (const call of ['connect', 'createConnection', 'request', 'get', 'createServer'])
    if (call in require(`node:${name}`)) trap(require(`node:${name}`), call, name);
trap(require('node:dgram'), 'createSocket', 'dgram');
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) trap(require('node:dns'), name, 'dns');
for (const name of ['resolve', 'resolve4', 'resolve6'])
  trap(require('node:dns').Resolver.prototype, name, 'dns.Resolver');
for (const name of ['lookup', 'resolve']) trap(require('node:dns').promises, name, 'dns.promises');
for (const name of ['fetch', 'WebSocket', 'EventSource']) trap(globalThis, name, 'globalThis');
const programs = require('node:child_process');
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
  trap(programs, name, 'child_process');
trap(programs.ChildProcess.prototype, 'spawn', 'ChildProcess');
// A configuration that is a program, and so runs here, says so.
globalThis.isRunning = () => asked.push('configuration');
