import * as z from 'zod/mini';

/** The words of the command line that a call of a method is. */
export interface CommandWords {
  readonly args: readonly (string | undefined)[];
  /** Values as they would be written; true for a flag without one. */
  readonly flags: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A method of `ctx rpc`: a reading command under a name of its own, with parameters instead of flags. */
export interface RpcMethod {
  readonly name: string;
  readonly command: string;
  readonly params: z.ZodMiniObject;
  toWords(params: Readonly<Record<string, never>>): CommandWords;
}

interface MethodDefinition<Shape extends z.core.$ZodLooseShape> extends Pick<RpcMethod, 'name' | 'command'> {
  /** The parameters, beside those of every method. */
  readonly params: Shape;
  readonly toWords: (params: z.infer<z.ZodMiniObject<Shape, z.core.$strict>>) => CommandWords;
}

/** Defines a method, and adds the parameters that every method has. */
export function defineMethod<const Shape extends z.core.$ZodLooseShape>({
  name,
  command,
  params,
  toWords,
}: MethodDefinition<Shape>): RpcMethod {
  return {
    name,
    command,
    params: z.strictObject({ ...params, ...SIZE }),
    toWords: toWords as RpcMethod['toWords'],
  };
}

export const text = z.exactOptional(z.string().check(z.maxLength(10_000)));
export const texts = z.exactOptional(z.array(z.string().check(z.maxLength(1000))).check(z.maxLength(100)));
export const count = z.exactOptional(z.int().check(z.positive(), z.maximum(999_999_999)));
export const toggle = z.exactOptional(z.boolean());

/** The most tokens of an answer that may be asked for: no text is longer than the longest string. */
const MOST_TOKENS = 50_000_000;

/** The parameters of every method. */
const SIZE = {
  /** The members of the answer, such as `meta.size`; of items, those of each. */
  fields: texts,
  /** No answer is larger, in estimated tokens. */
  maxTokens: z.exactOptional(z.int().check(z.positive(), z.maximum(MOST_TOKENS))),
};
