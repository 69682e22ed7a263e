import type { Heads } from '../table/heads.js';
import { TYPES } from './line-scanner.js';

/** Whether an entry is of a type that Pi knows. */
export function holdEntriesOfPi(heads: Heads): boolean {
  const { length } = heads;
  for (let index = 0; index < length; index += 1) if (TYPES.includes(heads.typeAt(index) ?? '')) return true;
  return false;
}
