/** Rows of numbers, which grow. */
export class NumberRows {
  /** The number of rows. */
  length = 0;
  private numbers: Int32Array;

  constructor(
    private readonly columns: number,
    room: number,
  ) {
    this.numbers = new Int32Array(room * columns);
  }

  /** Adds a row, and returns its place. */
  add(row: readonly number[]): number {
    const place = this.length;
    if ((place + 1) * this.columns > this.numbers.length) {
      const larger = new Int32Array((this.numbers.length + this.columns) * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    const { numbers, columns } = this;
    for (let column = 0; column < columns; column += 1) numbers[place * columns + column] = row[column] ?? 0;
    this.length = place + 1;
    return place;
  }

  at(row: number, column: number): number {
    return this.numbers[row * this.columns + column] ?? 0;
  }

  set(row: number, column: number, number: number): void {
    this.numbers[row * this.columns + column] = number;
  }
}
