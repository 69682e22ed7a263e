import type { NamedRow, ShapeRow } from '../../src/analysis/secrets/patterns/gitleaks.js';

export declare function upstreamRules(): Promise<readonly { readonly id: string; readonly regex: string }[]>;
export declare function rows(): Promise<{ readonly SHAPES: readonly ShapeRow[]; readonly NAMED: readonly NamedRow[] }>;
