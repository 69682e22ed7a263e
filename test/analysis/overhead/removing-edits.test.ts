import { expect, it } from 'vitest';
import { joinEdits, listRemovingEdits } from '#analysis/overhead/removing-edits.js';

it('edits of one setting are joined, whatever the names of the skills', () => {
  const edits = ['pdf', '__proto__', 'docx'].flatMap((name) =>
    listRemovingEdits({ agent: 'claude-code', kind: 'skill', name }),
  );
  expect(joinEdits(edits).map(({ text }) => text)).toEqual([
    '"skillOverrides": {"pdf":"off","__proto__":"off","docx":"off"}',
  ]);
});
