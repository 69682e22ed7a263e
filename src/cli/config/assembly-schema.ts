import * as z from 'zod/mini';
import { CACHE_STRATEGIES, PHASES } from '#engines/injectors/define.js';

const path = z.string().check(z.minLength(1));

export const injector = z.strictObject({
  name: z.string().check(z.minLength(1), z.describe('One that is built in, or one of your own.')),
  off: z.optional(z.boolean().check(z.describe('It does not take part.'))),
  phase: z.optional(
    z.enum(PHASES).check(z.describe('In the prompt, in the message in front of the conversation, or at the end.')),
  ),
  cache: z.optional(
    z.enum(CACHE_STRATEGIES).check(z.describe('How long it stays as it is; dynamic goes with the phase runtime.')),
  ),
  priority: z.optional(
    z.int().check(z.nonnegative(), z.describe('Within its phase and cache strategy the smaller number comes first.')),
  ),
  budget: z.optional(z.int().check(z.positive(), z.describe('The most that it may put there, in tokens.'))),
  text: z.optional(z.string().check(z.minLength(1), z.describe('What it says.'))),
  file: z.optional(path.check(z.describe('A file that holds what it says, or what it looks through.'))),
  files: z.optional(z.array(path).check(z.minLength(1), z.describe('The same for several files and patterns.'))),
  top: z.optional(z.int().check(z.positive(), z.describe('How many of the best things it takes.'))),
});

/** The configuration of the engine `three-phase`. Every field has a default. */
export const assembly = z.strictObject({
  injectors: z
    ._default(z.array(injector), [])
    .check(z.describe('Injectors of your own, and what is to be different for those that are built in.')),
  variation: z
    ._default(z.nullable(z.int().check(z.nonnegative())), null)
    .check(z.describe('A seed by which the way of writing varies at the end of each request; null: it does not.')),
});

export type InjectorSetting = z.infer<typeof injector>;
