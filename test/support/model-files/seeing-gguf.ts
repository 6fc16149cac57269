import { readFile } from 'node:fs/promises'
import { miniChat } from '../mini-chat.ts'
import { type GgufEntry, ggufValue, readGgufHeader, readNumbers, readTexts } from './gguf-file.ts'

/** Control tokens by which models of some kinds are shown pictures. */
const pictureTokens = [
  '<fake_token_around_image>',
  '<global-img>',
  '\n\n', // llama.cpp wants it as one token
  ...[1, 2].flatMap((row) => [1, 2].map((column) => `<row_${row}_col_${column}>`)),
  '<start_of_image>',
  '<end_of_image>',
  '<|vision_start|>',
  '<|vision_end|>',
]
const control = 3

/** The built-in miniature with the control tokens of models that see in place of its rarest ones. */
export async function writeSeeingModel(): Promise<Buffer> {
  const file = await readFile(miniChat.file)
  const header = readGgufHeader(file)
  const changed = header.map(([key, value]): GgufEntry => {
    if (key === 'tokenizer.ggml.tokens') return [key, ggufValue(replaceLast(readTexts(value), pictureTokens))]
    if (key === 'tokenizer.ggml.token_type')
      return [
        key,
        ggufValue(
          replaceLast(
            readNumbers(value),
            pictureTokens.map(() => control),
          ),
        ),
      ]
    return [key, value]
  })
  return withHeader(file, changed)
}

function replaceLast<Item>(items: readonly Item[], last: readonly Item[]): readonly Item[] {
  return [...items.slice(0, items.length - last.length), ...last]
}

/** A file with other metadata and the same tensors. */
function withHeader(file: Buffer, header: readonly GgufEntry[]): Buffer {
  const entries = header.map(([key, value]) => Buffer.concat([lengthOf(Buffer.from(key)), Buffer.from(key), value]))
  const old = readGgufHeader(file)
  const lastValue = old.at(-1)?.[1] ?? Buffer.alloc(0)
  const infosStart = lastValue.byteOffset - file.byteOffset + lastValue.length
  let infosEnd = infosStart
  for (let tensor = Number(file.readBigUInt64LE(8)); tensor > 0; tensor--) {
    infosEnd += 8 + Number(file.readBigUInt64LE(infosEnd))
    infosEnd += 4 + 8 * file.readUInt32LE(infosEnd) + 4 + 8
  }
  const fixed = Buffer.from(file.subarray(0, 24))
  fixed.writeBigUInt64LE(BigInt(header.length), 16)
  const head = Buffer.concat([fixed, ...entries, file.subarray(infosStart, infosEnd)])
  const pad = (length: number) => Math.ceil(length / 32) * 32
  return Buffer.concat([head, Buffer.alloc(pad(head.length) - head.length), file.subarray(pad(infosEnd))])
}

function lengthOf(text: Buffer): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(text.length))
  return bytes
}
