import type { Case } from './fuzz-case.js';

/** A case with as few words and lines as still lead to the first of its complaints. */
export async function smallest(
  each: Case,
  [complaint = '']: readonly string[],
  complaints: (each: Case) => Promise<readonly string[]>,
): Promise<Case> {
  const kind = kindOf(complaint);
  const isAsBad = async (other: Case): Promise<boolean> =>
    (await complaints(other)).some((said) => kindOf(said) === kind);
  let best = each;
  for (const next of [withoutWords, withoutFiles, withoutLines]) best = await shrunk(best, next, isAsBad);
  return best;
}

/** What a complaint is about, without what it quotes. */
function kindOf(complaint: string): string {
  return complaint.slice(0, 40).replaceAll(/\d+/g, '');
}

async function shrunk(
  each: Case,
  ways: (each: Case, at: number) => Case | null,
  isAsBad: (each: Case) => Promise<boolean>,
): Promise<Case> {
  let best = each;
  for (let at = 0; ;) {
    const next = ways(best, at);
    if (next === null) return best;
    if (await isAsBad(next)) best = next;
    else at += 1;
  }
}

function withoutWords({ argv, files }: Case, at: number): Case | null {
  return at + 1 >= argv.length ? null : { argv: argv.toSpliced(at + 1, 1), files };
}

function withoutFiles({ argv, files }: Case, at: number): Case | null {
  const names = Object.entries(files);
  return at >= names.length ? null : { argv, files: Object.fromEntries(names.toSpliced(at, 1)) };
}

/** Of the first file. */
function withoutLines({ argv, files }: Case, at: number): Case | null {
  const [name, bytes] = Object.entries(files)[0] ?? [];
  if (name === undefined || bytes === undefined) return null;
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  if (at >= lines.length || lines.length === 1) return null;
  return { argv, files: { ...files, [name]: Buffer.from(lines.toSpliced(at, 1).join('\n'), 'latin1') } };
}
