#!/usr/bin/env node
import module from 'node:module';
import process from 'node:process';

// Node 22.8 and later keep the compiled code; it must be on before the code is loaded.
module.enableCompileCache?.();
const { nodeIo, run } = await import('../dist/ctx.js');
process.exitCode = await run(nodeIo(process));
