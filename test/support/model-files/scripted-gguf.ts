import { type GgufEntry, type GgufTensor, ggufFloat, ggufValue, writeGguf } from './gguf-file.ts'

export const contextLength = 2048
/** One column per different token of a script. */
const width = 128
const headWidth = 64
const numberBytes = 4
const rowBytes = width * numberBytes
/** Of the logit of the token that the script wants: at no temperature up to 2 is another one drawn. */
const certainty = 60

/** The output of a model: `tokens[0]` follows a prompt of this number of tokens. */
interface Script {
  readonly promptTokens: number
  readonly tokens: readonly number[]
}

/** A change of a file. */
export interface Change {
  readonly position: number
  readonly bytes: Buffer
}

/** A file of weights that say what a script wants. */
export interface ScriptedGguf {
  /** The file as it is now; it says nothing but `end` at first. */
  readonly bytes: Buffer
  /** Makes it say something else, and returns what that changes in the file. */
  rewrite(script: Script): readonly Change[]
}

/**
 * A GPT-2 whose logits depend on the position alone. Attention, feed-forward and token embeddings are zero; the embedding of a position
 * is one-hot in the column of the token that comes next there, which the last layer norm leaves the largest. The first column is that of `end`.
 */
export function writeScriptedGguf({
  entries,
  size,
  end,
}: {
  readonly entries: readonly GgufEntry[]
  readonly size: number
  readonly end: number
}): ScriptedGguf {
  const bytes = writeWeights(entries, size)
  const outputStart = bytes.length - size * rowBytes
  const positionsStart = outputStart - contextLength * rowBytes
  const touched = new Set<number>()
  const setNumber = (start: number, row: number, column: number, value: number): void => {
    const position = start + row * rowBytes
    bytes.writeFloatLE(value, position + column * numberBytes)
    touched.add(position)
  }
  const logit = certainty / Math.sqrt(width)
  for (let position = 0; position < contextLength; position++) setNumber(positionsStart, position, 0, 1)
  setNumber(outputStart, end, 0, logit)
  touched.clear()
  let [said, columns]: [readonly (readonly [place: number, column: number])[], readonly number[]] = [[], [end]]
  return {
    bytes,
    rewrite({ promptTokens, tokens }) {
      for (const [place, column] of said) {
        setNumber(positionsStart, place, column, 0)
        setNumber(positionsStart, place, 0, 1)
      }
      for (const [column, token] of columns.entries()) setNumber(outputStart, token, column, 0)
      columns = [...new Set([end, ...tokens])]
      if (columns.length > width) throw new RangeError(`The script has ${columns.length} different tokens; ${width} are the most.`)
      said = tokens
        .map((token, index) => [promptTokens - 1 + index, columns.indexOf(token)] as const)
        .filter(([place]) => place >= 0 && place < contextLength)
      for (const [place, column] of said) {
        setNumber(positionsStart, place, 0, 0)
        setNumber(positionsStart, place, column, 1)
      }
      for (const [column, token] of columns.entries()) setNumber(outputStart, token, column, logit)
      const changes = [...touched].map((position) => ({ position, bytes: bytes.subarray(position, position + rowBytes) }))
      touched.clear()
      return changes
    },
  }
}

/** The positions and the output come last. */
function writeWeights(tokenizer: readonly GgufEntry[], vocabularySize: number): Buffer {
  const header: GgufEntry[] = [
    ['general.architecture', ggufValue('gpt2')],
    ['gpt2.context_length', ggufValue(contextLength)],
    ['gpt2.embedding_length', ggufValue(width)],
    ['gpt2.feed_forward_length', ggufValue(width)],
    ['gpt2.block_count', ggufValue(1)],
    ['gpt2.attention.head_count', ggufValue(width / headWidth)],
    ['gpt2.attention.layer_norm_epsilon', ggufFloat(1e-5)],
    ...tokenizer,
  ]
  return writeGguf(header, [
    tensor('token_embd.weight', [width, vocabularySize]),
    tensor('blk.0.attn_qkv.weight', [width, 3 * width]),
    tensor('blk.0.attn_qkv.bias', [3 * width]),
    ...['attn_norm', 'ffn_norm'].flatMap((name) => [tensor(`blk.0.${name}.weight`, [width]), tensor(`blk.0.${name}.bias`, [width])]),
    ...['attn_output', 'ffn_up', 'ffn_down'].flatMap((name) => [
      tensor(`blk.0.${name}.weight`, [width, width]),
      tensor(`blk.0.${name}.bias`, [width]),
    ]),
    tensor('output_norm.weight', [width], new Float32Array(width).fill(1)),
    tensor('output_norm.bias', [width]),
    tensor('position_embd.weight', [width, contextLength]),
    tensor('output.weight', [width, vocabularySize]),
  ])
}

/** A float32 tensor; zero by default. */
function tensor(name: string, shape: readonly number[], values?: Float32Array): GgufTensor {
  const data = values ?? new Float32Array(shape.reduce((product, size) => product * size, 1))
  return { name, shape, type: 0, data: Buffer.from(data.buffer) }
}
