import command from './command.js';
import type { Summarizer } from './define.js';
import extract from './extract.js';
import file from './file.js';
import model from './model.js';

/** Every way to make a summary; the first one is used where nothing is said. What a part needs of libraries it loads itself. */
export const summarizers: readonly Summarizer[] = [extract, command, model, file];

/** The flags of all of them, for the command that offers them. */
export const summarizerFlags = { ...command.flags, ...model.flags, ...file.flags };
