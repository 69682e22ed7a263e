/** How often a property is tried. `CTX_QUICK=1`: a tenth of that, which finds most of what there is to find. */
export function runs(count: number): number {
  return process.env['CTX_QUICK'] === '1' ? Math.ceil(count / 10) : count;
}
