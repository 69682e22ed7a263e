import { toJSONSchema } from 'zod/mini';

/** The one thing that is needed of a big part of zod. A name that is imported brings the part, not all of zod with its languages. */
export const jsonSchemaOf = toJSONSchema;
