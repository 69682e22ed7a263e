export interface WasmModule {
  readonly source: string;
  readonly name: string;
  readonly generated: string;
}
export declare const modules: readonly WasmModule[];
export declare function compiled(module: WasmModule): Promise<string>;
export declare function hashSources(): Promise<string>;
