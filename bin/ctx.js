#!/usr/bin/env node
void require('../dist/cli/ctx.js').main(process);
