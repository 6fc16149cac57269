/** Bits that llama.cpp's usual quantizations take per weight, measured over whole files of 7 to 8 B parameters; the best first. */
const bitsPerWeight = [
  ['Q8_0', 8.5],
  ['Q6_K', 6.6],
  ['Q5_K_M', 5.7],
  ['Q4_K_M', 4.9],
  ['Q3_K_M', 4],
  ['Q2_K', 3.2],
] as const

/** The best quantization of a language model whose weights fit into so many bytes; null = none does. */
export function findFittingQuantization(parameters: number, bytes: number): { readonly name: string; readonly bytes: number } | null {
  for (const [name, bits] of bitsPerWeight) {
    const size = Math.ceil((parameters * bits) / 8)
    if (size <= bytes) return { name, bytes: size }
  }
  return null
}
