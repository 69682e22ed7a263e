import type { Random } from './random.js';

/** Breaks a session of Claude Code or Codex; null where it has nothing of that kind. The first line stays as it is. */
type Fault = (lines: readonly string[], random: Random) => readonly string[] | null;

const IS_RESULT = /"type":"(?:tool_result|function_call_output|custom_tool_call_output)"/;
const IS_CALL = /"type":"(?:tool_use|function_call|custom_tool_call)"/;
const IS_MESSAGE = /"type":"(?:user|assistant|response_item)"/;

/** Changes one of the lines that match. */
function changeOne(pattern: RegExp, change: (line: string, random: Random) => readonly string[]): Fault {
  return (lines, random) => {
    const places = [...lines.keys()].filter((at) => at > 0 && pattern.test(lines[at] ?? ''));
    if (places.length === 0) return null;
    const at = random.pick(places);
    return lines.toSpliced(at, 1, ...change(lines[at] ?? '', random));
  };
}

const drop = (): readonly string[] => [];
const cut = (line: string, random: Random): readonly string[] => [line.slice(0, random.int(1, line.length - 1))];

/** The faults that crashes, full disks and other programs leave, by their names. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'a lost result': changeOne(IS_RESULT, drop),
  'a lost call': changeOne(IS_CALL, drop),
  'a lost record': changeOne(IS_MESSAGE, drop),
  'a record that was written twice': changeOne(IS_MESSAGE, (line) => [line, line]),
  'a line that was cut': changeOne(/^/, cut),
  'a last line that was cut': (lines, random) =>
    lines.length < 3 ? null : [...lines.slice(0, -1), ...cut(lines.at(-1) ?? '', random)],
  'a line that was cut, with the next one after it': (lines, random) => {
    if (lines.length < 4) return null;
    const at = random.int(1, lines.length - 2);
    return lines.toSpliced(at, 2, `${cut(lines[at] ?? '', random).join('')}${lines[at + 1]}`);
  },
  'NUL bytes before a line': changeOne(/^/, (line) => [`${'\0'.repeat(64)}${line}`]),
  'a line that is no record': changeOne(/^/, (line, random) => [random.pick(['null', '[]', '7', '""', '{}']), line]),
  'half of a surrogate pair': changeOne(/0123456789 /, (line) => [
    line.replace('0123456789 ', String.raw`0123\ud83d `),
  ]),
  'thinking without its signature': changeOne(/"signature":"[^"]+"/, (line) => [
    line.replace(/"signature":"[^"]+"/, '"signature":""'),
  ]),
  'a result without a text': changeOne(IS_RESULT, (line) => [
    line.replace(/"(?<name>content|output)":"(?:[^"\\]|\\.)*"/, '"$<name>":""'),
  ]),
  'a parent that is not there': changeOne(/"parentUuid":"/, (line) => [
    line.replace(/"parentUuid":"[^"]*"/, '"parentUuid":"22222222-2222-4222-8222-222222222222"'),
  ]),
};

/** A session with one of the faults, or with several. Returns their names, too. */
export function breakWork(
  text: string,
  random: Random,
  count = 1,
): { readonly text: string; readonly faults: readonly string[] } {
  let lines: readonly string[] = text.trimEnd().split('\n');
  const faults: string[] = [];
  while (faults.length < count) {
    const name = random.pick(Object.keys(FAULTS));
    const broken = FAULTS[name]?.(lines, random) ?? null;
    if (broken === null) continue;
    lines = broken;
    faults.push(name);
  }
  return { text: `${lines.join('\n')}\n`, faults };
}
