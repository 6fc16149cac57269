import type { LoraPart, LoraTarget } from './lora-modules.ts'
import { expandCore, hadamard, kronecker, type Matrix, multiply, shareOf, sizesOf } from './matrices.ts'

/** A LoRA's change of one module. */
export type LoraChange =
  /** Adds `scale · up · down`; with a magnitude the sum's rows or columns are then given its lengths. */
  | {
      readonly kind: 'factors'
      readonly down: Matrix
      readonly up: Matrix
      readonly scale: number
      readonly magnitude: { readonly values: Float32Array; readonly of: 'outputs' | 'inputs' } | null
    }
  /** Adds `scale · outer ⊗ inner`. */
  | { readonly kind: 'kronecker'; readonly outer: Matrix; readonly inner: Matrix; readonly scale: number }
  /** Adds numbers to a weight or bias as they are. */
  | { readonly kind: 'difference'; readonly tensor: 'weight' | 'bias'; readonly values: Float32Array; readonly scale: number }

/** Finds a part of a module's adapter; undefined = it has none. */
type FindPart = (part: LoraPart) => Matrix | undefined

/** Sizes are checked before multiplying, because small factors can have a product that fills the memory. */
const misfit = { fault: 'holds matrices of other sizes than the model has' }

/**
 * Reads the change of one module from its tensors, for some of its rows.
 *
 * @param options.ownScale Scale of a LoRA without alpha, by rank.
 * @returns The change, or the fault as the end of a sentence about the module.
 * @see Hu et al. 2021, arXiv:2106.09685; Hyeon-Woo et al. 2021, arXiv:2108.06098; Yeh et al. 2023, arXiv:2309.14859; Liu et al. 2024,
 * arXiv:2402.09353
 */
export function readChanges(
  find: FindPart,
  { rows, numbers }: LoraTarget,
  { ownScale }: { readonly ownScale: (rank: number) => number },
): readonly LoraChange[] | { readonly fault: string } {
  const alphas = find('alpha')?.values
  if (alphas !== undefined && alphas.length !== 1) return { fault: `holds ${alphas.length} numbers as alpha instead of one` }
  const alpha = alphas?.[0]
  const scaleFor = (rank: number): number => (alpha === undefined ? ownScale(rank) : alpha / rank)
  const changes: LoraChange[] = []
  const [difference, bias] = [find('diff'), find('diff_b')]
  if (difference) changes.push({ kind: 'difference', tensor: 'weight', values: shareOf(difference, rows).values, scale: 1 })
  if (bias) changes.push({ kind: 'difference', tensor: 'bias', values: shareOf(bias, rows).values, scale: 1 })
  const all = rows === undefined ? numbers : (numbers * rows.all) / rows.count
  const product = readFactors(find, all) ?? readHadamard(find, all) ?? readKronecker(find, all)
  const magnitude = find('magnitude')
  if (product === null) return changes.length > 0 && magnitude === undefined ? changes : { fault: 'holds no matching pair' }
  if ('fault' in product) return product
  if (magnitude !== undefined && product.kind !== 'factors') return { fault: 'combines DoRA with LoHa or LoKr, which Sepia cannot apply' }
  switch (product.kind) {
    case 'factors': {
      const { down, up, rank } = product
      const of = magnitude !== undefined && magnitude.shape.length > 1 && magnitude.shape[0] === 1 ? lengthsOf(magnitude, up) : 'outputs'
      // Their columns run through all of the modules.
      if (of === 'inputs' && rows !== undefined)
        return { fault: 'holds DoRA over the columns of joined modules, which Sepia cannot apply,' }
      const lengths = magnitude && { values: of === 'outputs' ? shareOf(asColumn(magnitude), rows).values : magnitude.values, of }
      return [...changes, { kind: 'factors', down, up: shareOf(up, rows), scale: scaleFor(rank), magnitude: lengths ?? null }]
    }
    case 'difference':
      return [
        ...changes,
        { kind: 'difference', tensor: 'weight', values: shareOf(product.matrix, rows).values, scale: scaleFor(product.rank) },
      ]
    case 'kronecker': {
      const { outer, inner, rank } = product
      const scale = rank === null ? 1 : scaleFor(rank)
      if (rows === undefined) return [...changes, { kind: 'kronecker', outer, inner, scale }]
      return [...changes, { kind: 'difference', tensor: 'weight', values: shareOf(kronecker(outer, inner), rows).values, scale }]
    }
  }
}

/** LyCORIS keeps lengths of columns in a row; peft keeps those of a convolution's outputs so, too. */
function lengthsOf(magnitude: Matrix, up: Matrix): 'outputs' | 'inputs' {
  return magnitude.shape.length === 4 && magnitude.values.length === sizesOf(up)[0] ? 'outputs' : 'inputs'
}

function asColumn({ values }: Matrix): Matrix {
  return { values, shape: [values.length, 1] }
}

interface Factors {
  readonly kind: 'factors'
  readonly down: Matrix
  readonly up: Matrix
  readonly rank: number
}

function readFactors(find: FindPart, numbers: number): Factors | { readonly fault: string } | null {
  const [down, up, mid] = [find('down'), find('up'), find('mid')]
  if (down === undefined || up === undefined) return null
  const [rank] = sizesOf(down)
  if (rank === 0 || sizesOf(up)[1] !== rank) return { fault: 'holds no matching pair' }
  if (mid === undefined) return { kind: 'factors', down, up, rank }
  if (!isCore(mid, { first: rank, second: rank, rows: sizesOf(up)[0], columns: sizesOf(down)[1], numbers })) return misfit
  // A convolution between: [rank, rank, height, width].
  const unit = { values: Float32Array.from({ length: rank * rank }, (_, i) => (i % (rank + 1) === 0 ? 1 : 0)), shape: [rank, rank] }
  return { kind: 'factors', down: expandCore(mid, unit, down), up, rank }
}

/** The product of two low-rank matrices' numbers is one of low rank, too: that of all pairs of their columns and rows. */
function readHadamard(
  find: FindPart,
  numbers: number,
): Factors | { readonly kind: 'difference'; readonly matrix: Matrix; readonly rank: number } | { readonly fault: string } | null {
  const [a, b, c, d] = [find('hada_w1_a'), find('hada_w1_b'), find('hada_w2_a'), find('hada_w2_b')]
  if (a === undefined || b === undefined || c === undefined || d === undefined) return null
  const [core1, core2] = [find('hada_t1'), find('hada_t2')]
  const [rank, columns] = sizesOf(b)
  if (core1 !== undefined && core2 !== undefined) {
    const rows = sizesOf(a)[1]
    const sizes = { first: sizesOf(a)[0], second: rank, rows, columns, numbers }
    const areAlike = [[a, c] as const, [b, d] as const, [core1, core2] as const].every(([one, other]) => isOfSizes(one, other.shape))
    if (!areAlike || !isCore(core1, sizes)) return misfit
    return { kind: 'difference', matrix: hadamard(expandCore(core1, a, b), expandCore(core2, c, d)), rank }
  }
  const [rows, own] = sizesOf(a)
  if (rank === 0 || own !== rank || rank > Math.max(rows, columns) || rows * columns !== numbers) return misfit
  if (core1 !== undefined || core2 !== undefined || !isOfSizes(c, a.shape) || !isOfSizes(d, b.shape)) return misfit
  if (rank * rank >= Math.min(rows, columns)) return { kind: 'difference', matrix: hadamard(multiply(a, b), multiply(c, d)), rank }
  const pairs = rank * rank
  const up = Float32Array.from({ length: rows * pairs }, (_, at) => {
    const [row, pair] = [Math.floor(at / pairs), at % pairs]
    return (a.values[row * rank + Math.floor(pair / rank)] ?? 0) * (c.values[row * rank + (pair % rank)] ?? 0)
  })
  const down = Float32Array.from({ length: pairs * columns }, (_, at) => {
    const [pair, column] = [Math.floor(at / columns), at % columns]
    return (b.values[Math.floor(pair / rank) * columns + column] ?? 0) * (d.values[(pair % rank) * columns + column] ?? 0)
  })
  return { kind: 'factors', down: { values: down, shape: [pairs, ...b.shape.slice(1)] }, up: { values: up, shape: [rows, pairs] }, rank }
}

/** LoKr counts alpha only where one of its two matrices is a product itself. */
function readKronecker(
  find: FindPart,
  numbers: number,
):
  | { readonly kind: 'kronecker'; readonly outer: Matrix; readonly inner: Matrix; readonly rank: number | null }
  | { readonly fault: string }
  | null {
  const whole = (
    part: 'lokr_w1' | 'lokr_w2',
  ): { readonly matrix: Matrix; readonly rank: number | null } | { readonly fault: string } | null => {
    const matrix = find(part)
    if (matrix !== undefined) return { matrix, rank: null }
    const [a, b] = [find(`${part}_a`), find(`${part}_b`)]
    if (a === undefined || b === undefined) return null
    const core = part === 'lokr_w2' ? find('lokr_t2') : undefined
    const [[first, second], [rank, columns]] = [sizesOf(a), sizesOf(b)]
    const rows = core === undefined ? first : second
    if (core === undefined && (second !== rank || rank > Math.max(rows, columns) || rows * columns > numbers)) return misfit
    if (core !== undefined && !isCore(core, { first, second: rank, rows, columns, atMost: numbers })) return misfit
    return { matrix: core === undefined ? multiply(a, b) : expandCore(core, a, b), rank: sizesOf(b)[0] }
  }
  const [outer, inner] = [whole('lokr_w1'), whole('lokr_w2')]
  if (outer === null || inner === null) return null
  if ('fault' in outer || 'fault' in inner || outer.matrix.values.length * inner.matrix.values.length !== numbers) return misfit
  return { kind: 'kronecker', outer: outer.matrix, inner: inner.matrix, rank: inner.rank ?? outer.rank }
}

function isOfSizes({ shape }: Matrix, sizes: readonly number[]): boolean {
  return shape.length === sizes.length && shape.every((size, axis) => size === sizes[axis])
}

/** Whether a core lies between factors of these ranks, and their product has the numbers of a weight. */
function isCore(
  { shape: [own1 = 1, own2 = 1, height = 1, width = 1, ...more] }: Matrix,
  sizes: { readonly first: number; readonly second: number; readonly rows: number; readonly columns: number } & (
    | { readonly numbers: number }
    | { readonly atMost: number }
  ),
): boolean {
  const { first, second, rows, columns } = sizes
  const product = rows * columns * height * width
  const fits = 'numbers' in sizes ? product === sizes.numbers : product <= sizes.atMost
  const maxRank = Math.max(rows, columns * height * width)
  return fits && more.length === 0 && own1 === first && own2 === second && Math.max(first, second) <= maxRank && Math.min(first, second) > 0
}
