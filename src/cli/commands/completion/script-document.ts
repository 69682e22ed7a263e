import type { CompletionDocument } from './document.js';
import { completionScripts, type Shell } from './scripts.js';

/** The document of a script. */
export function buildScriptDocument(shell: Shell): CompletionDocument {
  return { schema: 'ctx/completion', schemaVersion: 1, shell, script: completionScripts[shell] };
}
