/** Block types of GGUF files that image models support. */
export const blockTypes = ['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'] as const

export type BlockType = (typeof blockTypes)[number]

/** Numbers per block and bytes per block. */
export const blockSizes: Readonly<Record<BlockType, { readonly numbers: number; readonly bytes: number }>> = {
  Q4_0: { numbers: 32, bytes: 18 },
  Q4_1: { numbers: 32, bytes: 20 },
  Q5_0: { numbers: 32, bytes: 22 },
  Q5_1: { numbers: 32, bytes: 24 },
  Q8_0: { numbers: 32, bytes: 34 },
  Q2_K: { numbers: 256, bytes: 84 },
  Q3_K: { numbers: 256, bytes: 110 },
  Q4_K: { numbers: 256, bytes: 144 },
  Q5_K: { numbers: 256, bytes: 176 },
  Q6_K: { numbers: 256, bytes: 210 },
}

/** Whether a type is a supported block type. */
export function isBlockType(name: string): name is BlockType {
  return blockTypes.some((type) => type === name)
}
