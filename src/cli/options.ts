import { Option } from 'commander';
import type { FlagText } from './commands/define.js';
import { type Flag, positive, valueGiven } from './commands/flags.js';

/** A flag of a command for commander, under one of its names. */
export function ownOption(written: string, name: string, flag: Flag<unknown>): Option {
  const option = new Option(`${written}${flag.placeholder === null ? '' : ` <${flag.placeholder}>`}`, flag.help);
  if (flag.placeholder !== null)
    option.argParser((raw, before: unknown) => {
      const given = valueGiven(name, flag, raw);
      return flag.isMany && Array.isArray(before) ? before.concat(given) : given;
    });
  return flag.choices ? option.choices(flag.choices) : option;
}

/** The names of a flag that help does not list. */
export function otherNames({ alias, formerly }: Flag<unknown>): readonly string[] {
  return [alias, formerly].filter((name) => name !== undefined);
}

export function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

/** A flag of every command for commander. */
export function optionOf({ name, placeholder, choices, help }: FlagText): Option {
  const option = new Option(`--${name}${placeholder === null ? '' : ` <${placeholder}>`}`, help);
  if (name === 'fields') return option.implies({ format: 'json' });
  if (name === 'max-tokens') return option.argParser((raw) => valueGiven(name, MAX_TOKENS, raw));
  return choices ? option.choices(choices) : option;
}

const MAX_TOKENS = positive('N', '');
