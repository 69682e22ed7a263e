import { plural } from '#base/words.js';
import type { RedactionReport } from '#cli/schemas.js';
import { type Block, cell, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';

type Replacement = RedactionReport['replacements'][number];

/** The replaced secrets, the remaining ones and the new file; a dry run lists every place. */
export function redactionDoc(report: RedactionReport): Doc {
  const { file, output, newSize, replacements } = report;
  const secrets = [...groups(replacements)].flatMap((group) => secretDoc(group, output === null));
  return [
    heading(2, file),
    ...secrets,
    ...(secrets.length > 0 ? [gap] : []),
    line(summaryOf(report)),
    ...warningsOf(report),
    line(output === null ? 'nothing was written' : `${output}: ${plural(newSize, 'byte')}`),
  ];
}

/** Groups replacements by placeholder, and kept secrets by rule. */
function groups(replacements: readonly Replacement[]): Iterable<readonly Replacement[]> {
  const found = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const { placeholder, rule, masked } = replacement;
    const key = placeholder ?? `${rule} ${masked}`;
    const group = found.get(key);
    if (group) group.push(replacement);
    else found.set(key, [replacement]);
  }
  return found.values();
}

function secretDoc(group: readonly Replacement[], isListed: boolean): Doc {
  const [first] = group;
  if (!first) return [];
  const { placeholder, rule, masked } = first;
  const what = `${rule} ${masked}, ${plural(group.length, 'place')}`;
  const head =
    placeholder === null ? [span(`stays: ${what}`, 'warning')] : [span(placeholder, 'id'), span(`  ${what}`)];
  return [line(...head), ...(isListed ? group.map(placeRow) : [])];
}

function placeRow({ line: at, entryId, place }: Replacement): Block {
  return {
    kind: 'row',
    cells: [cell(String(at), -7, 'faint'), cell(entryId ?? '', 8, 'id'), cell(place ?? 'the whole line')],
  };
}

function summaryOf({ replaced, values }: RedactionReport): string {
  return replaced === 0 ? 'no secret was found' : `${plural(values, 'secret')} in ${plural(replaced, 'place')}`;
}

function warningsOf({ kept, damagedLines }: RedactionReport): Doc {
  const stays = `${plural(kept, 'place')} not changed: ids, types and times hold the session together`;
  const lost = `${plural(damagedLines, 'damaged line')} replaced whole: ctx repair may get back what they hold`;
  return [
    ...(kept > 0 ? [line(span(stays, 'warning'))] : []),
    ...(damagedLines > 0 ? [line(span(lost, 'warning'))] : []),
  ];
}
