import type { RedactedStretch } from '#change/redact/redaction.js';
import type { RedactionAccount } from './document.js';

/** Accounts for what was replaced. `lostLines`: damaged lines that the new file lacks. */
export function buildAccount(replacements: readonly RedactedStretch[], lostLines: number): RedactionAccount {
  const replacedLines = replacements.filter(({ place }) => place === null).length;
  const placeholders = replacements.flatMap(({ placeholder, place }) =>
    placeholder === null || place === null ? [] : [placeholder],
  );
  return {
    replaced: placeholders.length,
    values: new Set(placeholders).size,
    kept: replacements.length - replacedLines - placeholders.length,
    damagedLines: replacedLines + lostLines,
    replacements: replacements.map(({ line, entryId, place, kind: rule, masked, placeholder }) => {
      return { line, entryId, place, rule, masked, placeholder };
    }),
  };
}

/** 1 if a secret remains, or a damaged line is not in the new file as it was. */
export function chooseExitCode({ kept, damagedLines }: RedactionAccount): 0 | 1 {
  return kept + damagedLines > 0 ? 1 : 0;
}
