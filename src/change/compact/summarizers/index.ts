import command from './command.js';
import type { Summarizer } from './define.js';
import extract from './extract.js';
import file from './file.js';
import model from './model.js';

/** All summarizers; the first one is the default. Each loads its libraries on demand. */
export const summarizers: readonly Summarizer[] = [extract, command, model, file];

/** The flags of all of them, for the command that offers them. */
export const summarizerFlags = { ...command.flags, ...model.flags, ...file.flags };
