/** Stands for all names that are one too many for a byte. */
const MANY = 255;

/** Types or roles, each by a number of one byte. They are few; a file that has more may cost more. */
export class Names {
  private readonly names: (string | null)[];
  private readonly numbers: Map<string | null, number>;
  /** By the index of the entry. */
  private readonly others = new Map<number, string | null>();

  /** `known`: the names that have the numbers 0, 1, 2, … */
  constructor(known: readonly (string | null)[]) {
    this.names = [...known];
    this.numbers = new Map(known.map((name, number) => [name, number]));
  }

  /** The number that stands for the name of an entry. */
  numberFor(name: string | null, index: number): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    if (this.names.length === MANY) {
      this.others.set(index, name);
      return MANY;
    }
    this.numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  at(number: number, index: number): string | null {
    return (number === MANY ? this.others.get(index) : this.names[number]) ?? null;
  }
}
