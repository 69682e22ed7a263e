import * as z from 'zod/mini';

/** The kinds of marked text in Markdown and code, which a renderer gives colours. */
const mark = z.enum([
  'strong',
  'emphasis',
  'code',
  /** An address, or a note that is not in the source. */
  'quiet',
  'keyword',
  'title',
  'name',
  'value',
  'string',
  'comment',
  'added',
  'removed',
]);
export type Mark = z.infer<typeof mark>;

/**
 * A piece of text: plain, with a mark, or a link to a web or mail address. It may contain line breaks, and nothing that
 * a terminal obeys.
 */
const textRun = z.union([
  z.string(),
  z.tuple([mark, z.string()]),
  z.tuple([z.literal('link'), z.string(), z.string()]),
]);
export type TextRun = z.infer<typeof textRun>;

/** A block of Markdown. */
const markdownNode = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('heading'), level: z.int(), runs: z.array(textRun) }),
  z.object({ kind: z.literal('paragraph'), runs: z.array(textRun) }),
  z.object({ kind: z.literal('code'), language: z.string(), runs: z.array(textRun) }),
  z.object({
    kind: z.literal('quote'),
    get nodes() {
      return z.array(markdownNode);
    },
  }),
  z.object({
    kind: z.literal('list'),
    /** The number of the first item; null for bullets. */
    start: z.nullable(z.int()),
    get items() {
      return z.array(listItem);
    },
  }),
  /** The first row contains the titles. */
  z.object({ kind: z.literal('table'), rows: z.array(z.array(z.array(textRun))) }),
  /** A blank line in the source. */
  z.object({ kind: z.literal('gap') }),
]);
export type MarkdownNode = z.infer<typeof markdownNode>;

const listItem = z.object({
  /** The state of a task; null for other items. */
  isChecked: z.nullable(z.boolean()),
  get nodes() {
    return z.array(markdownNode);
  },
});

/** A line of a diff: its sign and its text, in which only changed words have a mark. */
const diffLine = z.tuple([z.enum(['+', '-', ' ', '@']), z.array(textRun)]);
export type DiffLine = z.infer<typeof diffLine>;

/** A text as a renderer draws it. */
export const drawing = z.discriminatedUnion('form', [
  z.object({ form: z.literal('plain'), text: z.string() }),
  z.object({ form: z.literal('markdown'), nodes: z.array(markdownNode) }),
  z.object({ form: z.literal('code'), language: z.string(), runs: z.array(textRun) }),
  z.object({ form: z.literal('diff'), lines: z.array(diffLine) }),
]);
export type Drawing = z.infer<typeof drawing>;

/** A text as it was sent, and its language: `markdown`, `diff`, a language of code, or nothing. */
const source = z.object({ text: z.string(), language: z.string() });
export type TextSource = z.infer<typeof source>;

/** The number of lines and characters that a shortened text omits. */
const leftOut = z.optional(z.object({ lines: z.int(), characters: z.int() }));

const buildBlockSchema = <Content extends z.ZodMiniType>(content: Content) =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), content, leftOut }),
    /** Empty where the provider keeps the text to itself. */
    z.object({ kind: z.literal('thinking'), content, leftOut }),
    z.object({
      kind: z.literal('call'),
      tool: z.string(),
      /** The file, pattern or command on one line; empty for none. */
      subject: z.string(),
      /** Short arguments beside the subject, such as `timeout 30`. */
      details: z.array(z.string()),
      /** The call's id, which its result names. */
      id: z.nullable(z.string()),
    }),
    /**
     * A longer argument of the call before it: a command of several lines, the text of a file, or all other arguments.
     */
    z.object({ kind: z.literal('argument'), name: z.string(), content, leftOut }),
    /** The replacements of an edit, the call before it, as a patch. */
    z.object({ kind: z.literal('diff'), added: z.int(), removed: z.int(), content, leftOut }),
    /** The result of a tool. */
    z.object({ kind: z.literal('output'), content, leftOut }),
    z.object({
      kind: z.literal('image'),
      type: z.string(),
      bytes: z.int(),
      /** The image in base64, unless a page may not show it. */
      data: z.optional(z.string()),
    }),
    z.object({ kind: z.literal('failure'), text: z.string() }),
    z.object({ kind: z.literal('unknown'), content, leftOut }),
  ]);

/** A block of a message with texts as they were sent. */
export const readingBlock = buildBlockSchema(source);
export type ReadingBlock = z.infer<typeof readingBlock>;

/** A block of a message with texts as a renderer draws them. */
export const drawnBlock = buildBlockSchema(drawing);
export type DrawnBlock = z.infer<typeof drawnBlock>;
