// Turns a regular expression of gitleaks, in the syntax of RE2, into the source of one in JavaScript and the anchors
// that the text finder looks for. It knows what tokens are written with: literals, classes, counts, alternatives.

/** What gitleaks puts between a service's name and its key, and around both. */
const BEFORE_NAME = String.raw`[\w.-]{0,50}?`;
const AFTER_NAME = String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}`;
const OPERATOR = String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`;
const ENDS = [String.raw`(?:[\x60'"\s;]|\\[nr]|$)`, String.raw`(?:[\x60'"\s;]|\\[nr]|$|\b)`, String.raw`(?:[^\w-]|\z)`];

/** RE2 allows repetitions without an end. */
const MOST = 400;
const MOST_SEQUENCES = 40;
const SHORTEST_LITERAL = 3;
const LONGEST_REST = 1500;

/**
 * A rule as data: `pattern` and `anchors` for a token that is known by its shape, `names` and `value` for one that is
 * known by the name before it; `example` says of both how one is made up. Throws an Error for what it cannot translate.
 */
export function translated(source) {
  const isCaseless = source.startsWith('(?i)');
  const rest = isCaseless ? source.slice(4) : source;
  return rest.includes(OPERATOR) ? named(rest, isCaseless) : token(rest, isCaseless);
}

function named(source, isCaseless) {
  const [left, right] = source.split(OPERATOR);
  const names = left
    .replaceAll(BEFORE_NAME, '')
    .replace(/^\(\?i:(.*)\)$/, '$1')
    .replace(AFTER_NAME, '');
  const spellings = sequences(parsed(names, false)).map((steps) => textOf(steps).toLowerCase());
  const value = parsed(withoutEnd(right), isCaseless);
  return { names: [...new Set(spellings)], value: printed(value), example: exampleOf(value) };
}

function token(source, isCaseless) {
  const tree = parsed(withoutEnd(source), isCaseless);
  const all = sequences(tree);
  const last = all[0]?.at(-1);
  const after = last && last.characters.size > 1 ? last.characters : new Set(ALNUM);
  const pattern = `${tree.length > 1 ? `(?:${printed(tree)})` : printed(tree)}(?!${classOf(after)})`;
  return { pattern, anchors: [...new Set(all.flatMap(anchorsOf))], example: exampleOf(tree) };
}

function withoutEnd(source) {
  const end = ENDS.find((one) => source.endsWith(one));
  return (end ? source.slice(0, -end.length) : source).replace(/^\\b/, '').replace(/\\b$/, '');
}

// Reading

const range = (from, to) =>
  Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_, at) =>
    String.fromCharCode(from.charCodeAt(0) + at),
  );
const ALNUM = [...range('a', 'z'), ...range('A', 'Z'), ...range('0', '9')];
const ESCAPES = { w: [...ALNUM, '_'], d: range('0', '9') };

/**
 * The alternatives of a source, each a list of steps: some of a class (`characters`, `least`, `most`) or of a group
 * (`alternatives`). Where case does not matter classes get both; literals are read as they are written, since tokens
 * are never written otherwise.
 */
function parsed(source, isCaseless) {
  const reader = { source, at: 0 };
  const alternatives = group(reader, isCaseless);
  if (reader.at < source.length) throw new Error(`${source} has more than a token`);
  return alternatives;
}

function group(reader, isCaseless) {
  const alternatives = [[]];
  let caseless = isCaseless;
  for (; reader.at < reader.source.length && reader.source[reader.at] !== ')';) {
    const flags = taken(reader, /\(\?(-?)i\)/y);
    if (flags) caseless = flags[1] === '';
    else if (taken(reader, /\|/y)) alternatives.push([]);
    else if (!taken(reader, /\\b/y)) alternatives.at(-1).push(step(reader, caseless));
  }
  return alternatives;
}

function step(reader, caseless) {
  const what = atom(reader, caseless);
  const [, one, least, comma, most] = taken(reader, /([?*+])|\{(\d+)(?:(,)(\d*))?\}/y) ?? [];
  if (one) return { ...what, least: one === '+' ? 1 : 0, most: one === '?' ? 1 : MOST };
  if (least === undefined) return { ...what, least: 1, most: 1 };
  return { ...what, least: Number(least), most: comma ? Math.min(Number(most || MOST), 2 * MOST) : Number(least) };
}

function atom(reader, caseless) {
  const open = taken(reader, /\((?:\?(?:P<\w+>|(-?)i:|:))?/y);
  if (open) {
    const alternatives = group(reader, open[1] === undefined ? caseless : open[1] === '');
    if (!taken(reader, /\)/y)) throw new Error(`${reader.source} has a group without an end`);
    return { alternatives };
  }
  const list = taken(reader, /\[(?!\^)((?:\[:\w+:\]|\\.|[^\]\\])+)\]/y);
  if (list) return { characters: widened(charactersOf(list[1]), caseless) };
  const escape = taken(reader, /\\([wd]|[^A-Za-z0-9])/y);
  if (escape) return { characters: new Set(ESCAPES[escape[1]] ?? [escape[1]]) };
  const literal = taken(reader, /[^.\\^$()[\]{}*+?|]/y);
  if (literal) return { characters: new Set(literal[0]) };
  throw new Error(`${reader.source} has what is no part of a token at ${reader.at}`);
}

function taken(reader, pattern) {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.source);
  if (match) reader.at = pattern.lastIndex;
  return match;
}

function charactersOf(list) {
  const all = new Set();
  for (const [one, from, to] of list
    .replaceAll('[:alnum:]', 'A-Za-z0-9')
    .matchAll(/([A-Za-z0-9])-([A-Za-z0-9])|\\.|[^]/g)) {
    if (from) for (const each of range(from, to)) all.add(each);
    else if (one[0] !== '\\') all.add(one);
    else for (const each of ESCAPES[one[1]] ?? [one[1]]) all.add(each);
  }
  return all;
}

function widened(characters, caseless) {
  if (!caseless) return characters;
  return new Set([...characters].flatMap((one) => [one.toLowerCase(), one.toUpperCase()]));
}

// Writing

function printed(alternatives) {
  return alternatives.map((steps) => steps.map(printedStep).join('')).join('|');
}

function printedStep({ characters, alternatives, least, most }) {
  if (alternatives?.length === 1 && least === 1 && most === 1) return printed(alternatives);
  const what = characters ? classOf(characters) : `(?:${printed(alternatives)})`;
  if (least === 1 && most === 1) return what;
  return `${what}{${least === most ? least : `${least},${most}`}}`;
}

/** A class as regular expressions write it, with ranges; one character as itself. */
function classOf(characters) {
  const all = [...characters].toSorted((a, b) => (a < b ? -1 : 1));
  if (all.length === 1) return all[0].replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  let text = '';
  for (let at = 0; at < all.length;) {
    let end = at;
    while (all[end + 1]?.charCodeAt(0) === all[end].charCodeAt(0) + 1) end += 1;
    text +=
      end - at > 1
        ? `${escaped(all[at])}-${escaped(all[end])}`
        : all
            .slice(at, end + 1)
            .map(escaped)
            .join('');
    at = end + 1;
  }
  return `[${text}]`;
}

function escaped(character) {
  return character.replace(/[\\\]^-]/, '\\$&');
}

/** All lists of steps of classes that a tree describes; what may be left out is there or not. */
function sequences(alternatives) {
  const all = alternatives.flatMap((steps) => steps.reduce(continued, [[]]));
  if (all.length > MOST_SEQUENCES) throw new Error('too many alternatives');
  return all;
}

function continued(befores, { characters, alternatives, least, most }) {
  if (characters) return befores.map((before) => [...before, { characters, least, most }]);
  const inner = sequences(alternatives);
  const ways = [
    ...(least === 0 ? [[]] : []),
    ...inner.map((steps) => Array.from({ length: Math.max(least, 1) }, () => steps).flat()),
  ];
  return befores.flatMap((before) => ways.map((way) => [...before, ...way]));
}

function isLiteral({ characters, least, most }) {
  return characters.size === 1 && least === most;
}

function textOf(steps) {
  return steps.map((one) => [...one.characters][0].repeat(one.least)).join('');
}

/** The longest literal of a list of steps, and what comes after it. A short one is told apart by its next character. */
function anchorsOf(steps) {
  let best = [0, 0];
  for (let from = 0; from < steps.length; from += 1) {
    let to = from;
    while (to < steps.length && isLiteral(steps[to])) to += 1;
    if (textOf(steps.slice(from, to)).length > textOf(steps.slice(...best)).length) best = [from, to];
  }
  const literal = textOf(steps.slice(...best));
  const [next, ...others] = steps.slice(best[1]);
  if (literal.length >= SHORTEST_LITERAL) return [literal.slice(0, 40) + restOf(next ? [next, ...others] : [])];
  if (literal.length < 2 || !next) throw new Error('it has no text to be found by');
  const one = { ...next, least: next.least - 1, most: next.most - 1 };
  return [...next.characters].map((first) => literal + first + restOf([one, ...others]));
}

/** Steps as an anchor has them. A class gives nothing back, so what comes after one of no fixed length is left out. */
function restOf(steps) {
  let rest = '';
  let length = 0;
  for (const { characters, least, most } of steps) {
    length += least;
    if (length > LONGEST_REST) break;
    if (characters.size === 1) rest += [...characters][0].repeat(least);
    else if (least > 0) rest += `${classOf(characters)}{${least}}`;
    if (least < most) break;
  }
  return rest;
}

/** The shortest of what a tree describes, as an anchor writes it: `p8e-[0-9A-Za-z]{32}`. */
function exampleOf(alternatives) {
  const [steps = []] = sequences(alternatives);
  return steps
    .map(({ characters, least }) =>
      characters.size === 1 ? [...characters][0].repeat(least) : least > 0 ? `${classOf(characters)}{${least}}` : '',
    )
    .join('');
}
