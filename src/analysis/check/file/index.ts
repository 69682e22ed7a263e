import type { RuleDefinition } from '../define.js';
import { noFinalNewline, problemsOfLines } from './problem-rules.js';

/** The rules about damaged lines of a file. */
export const rules: readonly RuleDefinition[] = [...problemsOfLines, noFinalNewline];
