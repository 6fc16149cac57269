/** A storage type of ggml. */
export interface GgmlType {
  readonly name: string
  /** Numbers per block. */
  readonly block: number
  /** Bytes per block. */
  readonly bytes: number
}

const type = (name: string, block: number, bytes: number): GgmlType => ({ name, block, bytes })

/**
 * ggml's types by number, without removed ones.
 *
 * @see https://github.com/ggml-org/ggml/blob/master/include/ggml.h and src/ggml-common.h
 */
export const ggmlTypes: ReadonlyMap<number, GgmlType> = new Map([
  [0, type('F32', 1, 4)],
  [1, type('F16', 1, 2)],
  [2, type('Q4_0', 32, 18)],
  [3, type('Q4_1', 32, 20)],
  [6, type('Q5_0', 32, 22)],
  [7, type('Q5_1', 32, 24)],
  [8, type('Q8_0', 32, 34)],
  [9, type('Q8_1', 32, 36)],
  [10, type('Q2_K', 256, 84)],
  [11, type('Q3_K', 256, 110)],
  [12, type('Q4_K', 256, 144)],
  [13, type('Q5_K', 256, 176)],
  [14, type('Q6_K', 256, 210)],
  [15, type('Q8_K', 256, 292)],
  [16, type('IQ2_XXS', 256, 66)],
  [17, type('IQ2_XS', 256, 74)],
  [18, type('IQ3_XXS', 256, 98)],
  [19, type('IQ1_S', 256, 50)],
  [20, type('IQ4_NL', 32, 18)],
  [21, type('IQ3_S', 256, 110)],
  [22, type('IQ2_S', 256, 82)],
  [23, type('IQ4_XS', 256, 136)],
  [24, type('I8', 1, 1)],
  [25, type('I16', 1, 2)],
  [26, type('I32', 1, 4)],
  [27, type('I64', 1, 8)],
  [28, type('F64', 1, 8)],
  [29, type('IQ1_M', 256, 56)],
  [30, type('BF16', 1, 2)],
  [34, type('TQ1_0', 256, 54)],
  [35, type('TQ2_0', 256, 66)],
  [39, type('MXFP4', 32, 17)],
])

/** Block types of GGUF files that image models support. */
export const blockTypes = ['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'Q8_0', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K'] as const

export type BlockType = (typeof blockTypes)[number]

/** Whether a type is a supported block type. */
export function isBlockType(name: string): name is BlockType {
  return blockTypes.some((type) => type === name)
}

/** The size of a block. */
export function blockSize(type: BlockType): GgmlType {
  return ggmlTypes.values().find(({ name }) => name === type) ?? { name: type, block: 1, bytes: 0 }
}
