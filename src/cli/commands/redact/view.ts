import { sortLargestFirst, sumBy } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { isPersonalKind } from '#change/redact/personal-data.js';
import { type Block, cell, type Doc, fileHeading, gap, hangingLine, line, listingRow, span } from '#ui/doc/doc.js';
import { renderOutput } from '../new-session.js';
import type { RedactionAccount, RedactionDocument } from './document.js';

type Replacement = RedactionAccount['replacements'][number];

/** The replaced secrets, the remaining ones and the new file; a dry run lists the places. */
export function renderRedaction(document: RedactionDocument, agent: string | null): Doc {
  const { file, output } = document;
  const secrets = renderSecrets(document, output === null);
  return [
    fileHeading(file),
    ...secrets,
    ...(secrets.length > 0 ? [gap] : []),
    line(describeReplaced(document)),
    ...renderWarnings(document),
    renderOutput(document),
    ...(agent === null || output === null ? [] : [line(`a session of Pi, made from the one of ${agent}`)]),
  ];
}

/** The replaced secrets of a copy, and the remaining ones. */
export function renderAccount(account: RedactionAccount, isListed: boolean): Doc {
  return [...renderSecrets(account, isListed), ...renderWarnings(account)];
}

function renderSecrets({ replacements }: RedactionAccount, isListed: boolean): Doc {
  return [...groupBySecret(replacements)].flatMap((group) => renderSecret(group, isListed));
}

/** Groups replacements by placeholder, and kept secrets by rule. */
function groupBySecret(replacements: readonly Replacement[]): Iterable<readonly Replacement[]> {
  const found = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const { placeholder, rule, masked } = replacement;
    addTo(found, placeholder ?? `${rule} ${masked}`, replacement);
  }
  return found.values();
}

function renderSecret(group: readonly Replacement[], isListed: boolean): Doc {
  const [first] = group;
  if (!first) return [];
  const { placeholder, rule, masked } = first;
  const what = `${rule} ${masked}, ${pluralize(group.length, 'place')}`;
  const head =
    placeholder === null ? [span(`stays: ${what}`, 'warning')] : [span(placeholder, 'id'), span(`  ${what}`)];
  return [line(...head), ...(isListed ? renderPlaces(group) : [])];
}

/** The places of a secret; of one in many places, their numbers by the member that holds it. */
function renderPlaces(group: readonly Replacement[]): Doc {
  if (group.length <= MOST_PLACES) return group.map(renderPlace);
  const counts = new Map<string, number>();
  for (const { place } of group) incrementCount(counts, nameMember(place));
  const sorted = sortLargestFirst([...counts], ([, count]) => count);
  const shown = sorted.slice(0, MOST_MEMBERS).map(([member, count]) => `${member} ${formatCount(count)}`);
  const rest = sumBy(sorted.slice(MOST_MEMBERS), ([, count]) => count);
  const others = rest > 0 ? [`others ${formatCount(rest)}`] : [];
  return [hangingLine(HANGING, span(`  ${[...shown, ...others].join(', ')}; --json lists them`, 'faint'))];
}

/** The most places of a secret that are listed one by one, and the most members that are named. */
const MOST_PLACES = 10;
const MOST_MEMBERS = 8;
const HANGING = 4;

/** The last name in a place: `text` in `message.content[0].text`. */
function nameMember(place: string | null): string {
  if (place === null) return 'the whole line';
  return /[^.[\]]+(?=(?:\[\d+\])*$)/.exec(place)?.[0] ?? place;
}

function renderPlace({ line: at, entryId, place }: Replacement): Block {
  return listingRow([cell(String(at), -7, 'faint'), cell(entryId ?? '', 8, 'id'), cell(place ?? 'the whole line')]);
}

/** `3 secrets in 7 places`. */
export function describeReplaced({ replaced, values, replacements }: RedactionAccount): string {
  if (replaced === 0) return 'no secret was found';
  const what = replacements.some(({ rule }) => isPersonalKind(rule)) ? 'value' : 'secret';
  return `${pluralize(values, what)} in ${pluralize(replaced, 'place')}`;
}

function renderWarnings({ kept, damagedLines, replacements }: RedactionAccount): Doc {
  const warnings: string[] = [];
  if (kept > 0)
    warnings.push(`${pluralize(kept, 'place')} not changed: ids, types and times hold the session together`);
  if (damagedLines > 0) {
    const isLeftOut = replacements.every(({ place }) => place !== null);
    const fate = isLeftOut ? 'left out: see ctx check' : 'replaced whole: ctx repair may get back what they hold';
    warnings.push(`${pluralize(damagedLines, 'damaged line')} ${fate}`);
  }
  return warnings.map((text) => line(span(text, 'warning')));
}
