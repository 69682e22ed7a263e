import type { Tone } from './tone.js';

/** Colours a text that is already safe and cut to its place. */
export type Style = (tone: Tone, text: string) => string;

export const plainStyle: Style = (_tone, text) => text;

/** The palettes that a configuration can name. */
export const THEMES = ['default', 'colour-blind', 'light'] as const;

export type Theme = (typeof THEMES)[number];

/** Tones that differ from the default: without red and green, or without yellow and cyan, which are pale on white. */
const CHANGED: Readonly<Record<Theme, Partial<Record<Tone, 'blue' | 'cyan' | 'gray' | 'magenta' | 'yellow'>>>> = {
  default: {},
  'colour-blind': { messages: 'cyan', good: 'blue', error: 'magenta' },
  light: { code: 'blue', faint: 'gray', id: 'magenta', tools: 'magenta', warning: 'magenta' },
};

/** Colours from the terminal's own palette. chalk is loaded only when there is something to colour. */
export async function loadColourStyle(theme: Theme = 'default'): Promise<Style> {
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
  const changed = CHANGED[theme];
  return (tone, text) => {
    if (text === '') return text;
    const colour = changed[tone];
    return colour === undefined ? colours[tone](text) : chalk[colour](text);
  };
}
