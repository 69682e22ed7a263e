import * as z from 'zod/mini';
import { rpcMethods } from './methods.js';

const version = z.literal('2.0');
/** A larger whole number is not the one that was written, and the answer could not name it. */
const exact = z.number().check(z.minimum(-Number.MAX_SAFE_INTEGER), z.maximum(Number.MAX_SAFE_INTEGER));
export const rpcId = z.union([z.string().check(z.maxLength(1000)), exact, z.null()]);

/** One line that `ctx rpc` reads: a call of one of its methods. */
export const rpcRequest = z.discriminatedUnion(
  'method',
  rpcMethods.map(({ name, params }) =>
    z.object({
      jsonrpc: z.exactOptional(version),
      id: rpcId,
      method: z.literal(name),
      params: z.exactOptional(params),
    }),
  ) as never,
);

/** A request before its method and its parameters are looked at. */
export const anyRequest = z.object({
  jsonrpc: z.exactOptional(version),
  id: z.exactOptional(rpcId),
  method: z.string(),
  params: z.exactOptional(z.record(z.string(), z.unknown())),
});

/** Answers of JSON Lines, as `ctx log --json` prints them. */
const rpcItems = z.object({
  items: z.array(z.unknown()),
  /** There are more than fit into `maxTokens`. */
  isCut: z.boolean(),
});

const rpcError = z.object({
  /**
   * The code of JSON-RPC: -32700 not JSON, -32600 no request, -32601 no such method, -32602 wrong parameters, -32603 a
   * bug in ctx; -32003 and -32004 are the exit codes 3 and 4.
   */
  code: z.int(),
  message: z.string(),
  where: z.nullable(z.string()),
  hint: z.nullable(z.string()),
});

/** One line that `ctx rpc` prints. */
export const rpcAnswer = z.union([
  z.object({
    jsonrpc: version,
    id: rpcId,
    /** The document that the command prints with `--json`; items of JSON Lines; or, of `format: "markdown"`, a page. */
    result: z.union([
      rpcItems,
      z.object({ markdown: z.string() }),
      z.looseObject({ schema: z.string() }),
      z.looseObject({}),
    ]),
  }),
  z.object({ jsonrpc: version, id: rpcId, error: rpcError }),
]);

export type RpcId = z.infer<typeof rpcId>;
export type RpcAnswer = z.infer<typeof rpcAnswer>;
