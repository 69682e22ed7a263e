/** The number of all names beyond the range of a byte. */
const MANY = 255;

/** Numbers types or roles, each in one byte. There are few; a file with more may be slower. */
export class NamePool {
  private readonly names: (string | null)[];
  private readonly numbers: Map<string | null, number>;
  /** The names that got no number of their own, by the index of the entry. */
  private readonly others: Map<number, string | null>;

  /** `fixedNames`: the names with the numbers 0, 1, 2, … */
  constructor(fixedNames: readonly (string | null)[], others: Iterable<[number, string | null]> = []) {
    this.names = [...fixedNames];
    this.numbers = new Map(fixedNames.map((name, number) => [name, number]));
    this.others = new Map(others);
  }

  copy(): NamePool {
    return new NamePool(this.names, this.others);
  }

  /** The number of an entry's name. */
  numberFor(name: string | null, index: number): number {
    const number = this.numbers.get(name);
    if (number !== undefined) return number;
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
