import type { Tone } from './doc.js';

/** Colours a text that is already safe and cut to its place. */
export type Style = (tone: Tone, text: string) => string;

export const plainStyle: Style = (_tone, text) => text;

/** Colours from the terminal's own palette. chalk is loaded only when there is something to colour. */
export async function colourStyle(): Promise<Style> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  const colours: Readonly<Record<Tone, (text: string) => string>> = {
    plain: (text) => text,
    strong: chalk.bold,
    emphasis: chalk.italic,
    code: chalk.cyan,
    faint: chalk.dim,
    id: chalk.yellow,
    system: chalk.blue,
    tools: chalk.yellow,
    messages: chalk.green,
    good: chalk.green,
    warning: chalk.yellow,
    error: chalk.red,
  };
  return (tone, text) => (text === '' ? text : colours[tone](text));
}
