import type { Reporter } from './define.js';
import github from './github.js';
import json, { ndjsonReporter } from './json.js';
import junit from './junit.js';
import markdown from './markdown.js';
import sarif from './sarif.js';
import text from './text.js';

/** Every way to say what a check has found. */
export const reporters: readonly Reporter[] = [text, json, ndjsonReporter, junit, sarif, github, markdown];
