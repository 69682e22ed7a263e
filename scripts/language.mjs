// Finds wordy phrases and long sentences in the manual, the source and the names of tests. CONTRIBUTING.md names it.
import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';

/** Each phrase with its replacement. */
const PHRASES = [
  [/\b(?:nobody|somebody|whoever)\b/gi, 'name the actor (the user, the provider), or use the passive'],
  [/\bso (?:many|much)\b(?! (?:more|less|the better))/gi, 'the number of, up to, N'],
  [/\bas (?:much|many) as\b/gi, 'up to'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'repair'],
  [/\bstands? for\b/gi, 'represents, is'],
  [/\b(?:is|are|was) said\b/gi, 'prints, reports, states'],
  [/\bin the place of\b/gi, 'instead of, replaces'],
  [/\bgo(?:es)? by\b/gi, 'uses, follows'],
  [/\banew\b/gi, 'again, re-sent, uncached'],
];
const DOCSTRING = /\/\*\*\s+(?:\* )?(?:The same|What)\b/g;
const WORDS = 35;

const lineAt = (text, index) => text.slice(0, index).split('\n').length;
/** Blanks a part, and keeps its lines. */
const blank = (part) => part.replaceAll(/[^\n]/g, ' ');

/** The prose of a page: without code, generated parts, the targets of links, and quoted names of tests. */
function proseOf(page) {
  return page
    .replaceAll(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2 *$/gm, blank)
    .replaceAll(/<!-- (?:recall|removed|guesses|kinds)[\s\S]*?<!-- end -->/g, blank)
    .replaceAll(/`[^`\n]*`/g, (code) => `x${blank(code).slice(1)}`)
    .replaceAll(/\[[^\]]*\]\(test\/[^)]*\)/g, blank)
    .replaceAll(/\]\([^)]*\)/g, (target) => `]${blank(target).slice(1)}`);
}

function phrasesIn(text) {
  return PHRASES.flatMap(([phrase, better]) =>
    [...text.matchAll(phrase)].map(({ 0: found, index }) => [lineAt(text, index), `"${found}": write ${better}`]),
  );
}

function longSentencesIn(prose) {
  return prose.split('\n').flatMap((line, at) =>
    line
      .replace(/^[\s>#*\d.-]+/, '')
      .split(/(?<=[.!?:;][\])*"”]*)\s+|\s[·|]\s/)
      .map((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)))
      .filter((words) => words.length > WORDS)
      .map((words) => [at + 1, `${words.length} words in a sentence: "${words.slice(0, 6).join(' ')} …"`]),
  );
}

function findingsIn(file) {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) {
    const prose = proseOf(text);
    return [...phrasesIn(prose), ...longSentencesIn(prose)];
  }
  const isTest = file.startsWith('test/');
  const names = isTest ? text.replaceAll(/^(?!\s*(?:it|describe)\b).*$/gm, blank) : text;
  const docstrings = isTest ? [] : [...text.matchAll(DOCSTRING)];
  return [
    ...phrasesIn(names),
    ...docstrings.map(({ index }) => [lineAt(text, index), 'a docstring begins with the thing or a verb']),
  ];
}

const given = process.argv.slice(2);
const ALL = ['*.md', 'docs/**/*.md', 'src/**/*.{md,ts,tsx}', 'test/**/*.{test.ts,test.tsx}'];
const files = given.length > 0 ? given : globSync(ALL, { ignore: '**/node_modules/**' }).toSorted();
const found = files.flatMap((file) => findingsIn(file).map(([line, message]) => `${file}:${line}  ${message}`));
for (const line of found) process.stderr.write(`${line}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
