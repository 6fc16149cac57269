import { type GgufEntry, type GgufTensor, ggufFloat, ggufValue, writeGguf } from './gguf-file.ts'

export const contextLength = 2048
/** One column per different token of a script. */
const width = 128
const headWidth = 64
/** Of the logit of the token that the script wants: at no temperature up to 2 is another one drawn. */
const certainty = 60

/** What a model says: `tokens[0]` follows the prompt of so many tokens, and `end` whatever else. */
export interface Script {
  readonly promptTokens: number
  readonly tokens: readonly number[]
  readonly end: number
}

/**
 * A GPT-2 whose logits depend on the position alone. Attention, feed-forward and token embeddings are zero; the embedding of a position
 * is one-hot in the column of the token that comes next there, which the last layer norm leaves the largest.
 */
export function writeScriptedGguf(tokenizer: readonly GgufEntry[], vocabularySize: number, script: Script): Buffer {
  const columns = [...new Set([script.end, ...script.tokens])]
  if (columns.length > width) throw new RangeError(`The script has ${columns.length} different tokens; ${width} are the most.`)
  const positions = new Float32Array(contextLength * width)
  for (let position = 0; position < contextLength; position++) {
    const token = script.tokens[position + 1 - script.promptTokens] ?? script.end
    positions[position * width + columns.indexOf(token)] = 1
  }
  const output = new Float32Array(vocabularySize * width)
  for (const [column, token] of columns.entries()) output[token * width + column] = certainty / Math.sqrt(width)
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
    tensor('position_embd.weight', [width, contextLength], positions),
    tensor('blk.0.attn_qkv.weight', [width, 3 * width]),
    tensor('blk.0.attn_qkv.bias', [3 * width]),
    ...['attn_norm', 'ffn_norm'].flatMap((name) => [tensor(`blk.0.${name}.weight`, [width]), tensor(`blk.0.${name}.bias`, [width])]),
    ...['attn_output', 'ffn_up', 'ffn_down'].flatMap((name) => [
      tensor(`blk.0.${name}.weight`, [width, width]),
      tensor(`blk.0.${name}.bias`, [width]),
    ]),
    tensor('output_norm.weight', [width], new Float32Array(width).fill(1)),
    tensor('output_norm.bias', [width]),
    tensor('output.weight', [width, vocabularySize], output),
  ])
}

/** A float32 tensor; zero unless it is told otherwise. */
function tensor(name: string, shape: readonly number[], values?: Float32Array): GgufTensor {
  const data = values ?? new Float32Array(shape.reduce((product, size) => product * size, 1))
  return { name, shape, type: 0, data: Buffer.from(data.buffer) }
}
