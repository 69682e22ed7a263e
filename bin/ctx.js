#!/usr/bin/env node
import { main } from '../dist/ctx.js';

await main(process);
