import * as z from 'zod/mini';
import { optionalField } from '#base/schema.js';
import { summarizerFlags, summarizers } from '#change/compact/summarizers/index.js';
import { compressOptions } from '#change/prune/strategies/compress.js';
import { TAIL_PLACES } from '#lab/injectors/assembly.js';
import { CACHE_STRATEGIES, PHASES } from '#lab/injectors/define.js';

const path = z.string().check(z.minLength(1));

export const injectorSchema = z.strictObject({
  name: z.string().check(z.minLength(1), z.describe('One that is built in, or one of your own.')),
  off: optionalField(z.boolean(), 'It does not take part.'),
  phase: optionalField(z.enum(PHASES), 'In the prompt, in the message in front of the conversation, or at the end.'),
  cache: optionalField(z.enum(CACHE_STRATEGIES), 'How long it stays as it is; dynamic goes with the phase runtime.'),
  priority: optionalField(
    z.int().check(z.nonnegative()),
    'Within its phase and cache strategy the smaller number comes first.',
  ),
  budget: optionalField(z.int().check(z.positive()), 'The most that it may put there, in tokens.'),
  text: optionalField(z.string().check(z.minLength(1)), 'What it says.'),
  module: optionalField(
    path,
    'A TypeScript or JavaScript module that returns what it says. It runs only with --config FILE.',
  ),
  file: optionalField(path, 'A file that holds what it says, or what it looks through.'),
  files: optionalField(z.array(path).check(z.minLength(1)), 'The same for several files and patterns.'),
  top: optionalField(z.int().check(z.positive()), 'How many of the best things it takes.'),
});

/** The options have no defaults here, since the engine has its own. */
const resultOptions = z.strictObject(
  Object.fromEntries(
    Object.entries(compressOptions.shape)
      .filter(([name]) => name !== 'afterTurns' && name !== 'spill')
      .map(([name]) => [name, z.optional(z.int().check(z.nonnegative()))]),
  ),
);

const flagValue = z.union([z.string(), z.number(), z.literal(true)]);

/** The flags of `ctx compact` that name a summarizer. */
const summarizer = z.strictObject({
  name: z.enum(summarizers.map(({ name }) => name)),
  ...Object.fromEntries(
    Object.entries(summarizerFlags).map(([name, { help }]) => [name, optionalField(flagValue, help)]),
  ),
});

/** The configuration of the engine `three-phase`. Every field has a default. */
export const assemblySchema = z.strictObject({
  injectors: z
    ._default(z.array(injectorSchema), [])
    .check(z.describe('Injectors of your own, and what is to be different for those that are built in.')),
  variation: z
    ._default(z.nullable(z.union([z.int().check(z.nonnegative()), z.literal('random')])), null)
    .check(
      z.describe(
        'A seed by which the way of writing varies at the end of each request; random: another one in every run; null: it does not vary.',
      ),
    ),
  tail: z
    ._default(z.enum(TAIL_PLACES), 'message')
    .check(
      z.describe('Where the phase runtime goes: a message of its own, or the end of the newest message of the user.'),
    ),
  results: z
    ._default(z.nullable(resultOptions), null)
    .check(
      z.describe(
        'Options of the strategy compress for tool results that enter; null: only those of more than 3,000 tokens are shortened.',
      ),
    ),
  readResult: z
    ._default(z.boolean(), false)
    .check(z.describe('The engine adds the tool read_result, by which a model opens shortened messages again.')),
  summarizer: optionalField(
    summarizer,
    'Who writes the summary of old turns, by the flags of ctx compact. It runs only with --config FILE.',
  ),
});

export type AssemblySettings = z.infer<typeof assemblySchema>;
export type InjectorSetting = z.infer<typeof injectorSchema>;
export type SummarizerSetting = z.infer<typeof summarizer>;
