/** Unsupported kinds of adapters, each with a pattern of its tensor names. */
const otherKinds: readonly (readonly [RegExp, string])[] = [
  [/\.oft_|oft_blocks|oft_diag/u, 'OFT'],
  [/\.a1\.weight$|\.b1\.weight$/u, 'GLoRA'],
  [/\.on_input$/u, 'IA3'],
]

/** The reason why an adapter is not supported, completing a sentence that begins with its name; null = it is supported. */
export function refuseLora(keys: readonly string[]): string | null {
  for (const [pattern, kind] of otherKinds)
    if (keys.some((key) => pattern.test(key)))
      return `is an adapter of the kind ${kind}, which Sepia cannot apply; use a LoRA, LoCon, LoHa or LoKr`
  return null
}
