import type { Dice, SecretExample, FoundSecret, SecretPattern } from './define.js';
import { isMadeUp } from './looks-random.js';

/** A rule of secretlint's recommended preset, with its name here and its anchors. */
export interface LibraryPattern {
  readonly rule: string;
  readonly kind: string;
  readonly anchors: readonly string[];
  /** The ids of its messages about this kind; all by default. */
  readonly messages?: readonly string[];
  /** A further condition on a match. */
  readonly shape?: RegExp;
  example(dice: Dice): string | SecretExample;
  readonly counterexample: string;
}

export function libraryPattern(definition: LibraryPattern): SecretPattern {
  const { rule, kind, anchors, messages, shape = /^/, example, counterexample } = definition;
  return {
    means: 'credential',
    kind,
    anchors,
    async prepare() {
      library ??= await loaded();
    },
    find(text) {
      const found: FoundSecret[] = [];
      for (const { message, range } of reportsOf(rule, text)) {
        const [start, end] = range;
        const isOfThisKind = !messages || messages.includes(message.messageId);
        const secret = text.slice(start, end);
        if (isOfThisKind && shape.test(secret) && !isMadeUp(secret)) found.push({ kind, start, end });
      }
      return found;
    },
    example(dice) {
      const made = example(dice);
      return typeof made === 'string' ? { text: made, secret: made } : made;
    },
    counterexamples: [counterexample],
  };
}

interface Report {
  readonly message: { readonly messageId: string };
  readonly range: readonly [start: number, end: number];
}

/** The arguments and results of the library's rules, as far as they are used. */
interface LibraryRule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file?(source: object): unknown };
}

/**
 * Runs one rule of the library on a text. Its runner, `@secretlint/core`, would keep forty kilobytes for each
 * text and obey comments in it that disable rules.
 */
function reportsOf(rule: string, text: string): readonly Report[] {
  if (!library) throw new Error('the library was not loaded');
  const reports: Report[] = [];
  const context = {
    sharedOptions: {},
    createTranslator: () => (messageId: string) => ({ message: '', messageId }),
    report: (report: Report) => void reports.push(report),
    ignore() {},
  };
  library.get(rule)?.create(context, { enableIDScanRule: true }).file?.({ content: text });
  return reports;
}

let library: ReadonlyMap<string, LibraryRule> | null = null;

const PREFIX = '@secretlint/secretlint-rule-';

/** Loading takes some milliseconds, and most sessions contain no secret. */
async function loaded(): Promise<ReadonlyMap<string, LibraryRule>> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  // Its types name packages that are not installed with it.
  return new Map((rules as unknown as readonly LibraryRule[]).map((rule) => [rule.meta.id.slice(PREFIX.length), rule]));
}
