/** A step of a compiled pattern: with `reads`, it takes one character; without, it is left at once. */
interface Step {
  readonly reads?: (character: string) => boolean;
  /** The steps after it, by their places. */
  readonly next: number[];
}

const TOKENS = /(?<folders>(?<![^/])\*\*\/)|(?<rest>\/\*\*$|^\*\*$)|\*+|\[[!^]?[^\]/]+\]|\\.|./gsu;
const isAny = (): boolean => true;
const isSlash = (character: string): boolean => character === '/';
const isInName = (character: string): boolean => !isSlash(character);

/**
 * Compiles a glob: `*` and `?` match within a name, `**` any folders, `[a-c]` a character, `{a,b}` one of several texts,
 * and `!` at the beginning negates. Matching takes linear time for any text, unlike regular expressions with many stars.
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  if (pattern.startsWith('!')) {
    const isMatch = compileGlob(pattern.slice(1));
    return (text) => !isMatch(text);
  }
  const steps = stepsOf(pattern);
  return (text) => {
    let places = entered(steps, [0]);
    for (const character of text) {
      const read = [...places].map((place) => steps[place]).filter((step) => step?.reads?.(character));
      places = entered(
        steps,
        read.flatMap((step) => step?.next ?? []),
      );
    }
    return places.has(steps.length);
  };
}

/** The steps that wait for a character, with those that lead to them. */
function entered(steps: readonly Step[], from: readonly number[]): ReadonlySet<number> {
  const places = new Set(from);
  for (const place of places) {
    const step = steps[place];
    if (step && !step.reads) for (const next of step.next) places.add(next);
  }
  return places;
}

function stepsOf(pattern: string): readonly Step[] {
  const steps: Step[] = [];
  /** The beginnings of open braces, and the ends of their parts. */
  const open: { readonly begin: Step; readonly ends: Step[] }[] = [];
  const hasBraces = /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(pattern);
  const add = (reads: Step['reads'], ...ahead: readonly number[]): Step => {
    const step = { ...(reads && { reads }), next: ahead.map((distance) => steps.length + distance) };
    steps.push(step);
    return step;
  };
  for (const { 0: token, groups } of pattern.matchAll(TOKENS)) {
    const brace = open.at(-1);
    if (groups?.['folders'] !== undefined) {
      add(undefined, 1, 2, 3);
      add(isAny, 0, 1);
      add(isSlash, 1);
    } else if (groups?.['rest'] !== undefined) {
      add(undefined, 1, token === '**' ? 2 : 3);
      if (token !== '**') add(isSlash, 1, 2);
      add(isAny, 0, 1);
    } else if (token.startsWith('*')) {
      add(undefined, 1, 2);
      add(isInName, 0, 1);
    } else if (token === '{' && hasBraces) open.push({ begin: add(undefined, 1), ends: [] });
    else if (brace && token === ',') {
      brace.ends.push(add(undefined));
      brace.begin.next.push(steps.length);
    } else if (brace && token === '}') {
      open.pop();
      for (const end of brace.ends) end.next.push(steps.length);
    } else add(readerOf(token), 1);
  }
  return steps;
}

function readerOf(token: string): (character: string) => boolean {
  if (token === '?') return isInName;
  if (token.startsWith('[') && token.length > 1) return classOf(token);
  const literal = token.startsWith('\\') ? token.slice(1) || token : token;
  return (character) => character === literal;
}

/** `[a-c]`, `[!a]`; the slash is in no class. */
function classOf(token: string): (character: string) => boolean {
  const characters = token
    .slice(1, -1)
    .replace(/^!/, '^')
    .replaceAll('\\', String.raw`\\`);
  const pattern = new RegExp(`^[${characters}]$`, 'su');
  return (character) => isInName(character) && pattern.test(character);
}
