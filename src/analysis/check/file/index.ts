import type { Rule } from '../define.js';
import noFinalNewline from './no-final-newline.js';
import { problemsOfLines } from './problem-rules.js';

/** The rules about damaged lines of a file. */
export const rules: readonly Rule[] = [...problemsOfLines, noFinalNewline];
