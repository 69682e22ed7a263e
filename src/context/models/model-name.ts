/** A model as `provider/id`, as far as it is known. */
export function formatModel(
  model: { readonly provider?: string | undefined; readonly modelId?: string | undefined } | null,
): string {
  const names = [model?.provider, model?.modelId].filter((part) => part !== undefined && part !== '');
  return names.length === 0 ? 'model unknown' : names.join('/');
}
