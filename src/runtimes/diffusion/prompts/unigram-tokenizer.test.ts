import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { encodeMessage, type Field, integer, nested, text } from '../../../../test/support/model-files/protobuf.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadUnigramTokenizer, type Piece, type UnigramTokenizer } from './unigram-tokenizer.ts'

const pieces: readonly Piece[] = [
  ...['<pad>', '</s>', '<unk>'].map((special) => ({ text: special, score: 0 })),
  { text: '▁', score: -4 },
  { text: '▁red', score: -3 },
  { text: '▁re', score: -2 },
  { text: 'd', score: -2 },
  { text: 'fox', score: -5 },
]

const pieceField = ({ text: name, score }: Piece): Field => {
  const value = Buffer.alloc(4)
  value.writeFloatLE(score)
  return nested(1, [text(1, name), { number: 2, wire: 5, value }, integer(3, 1)])
}
const sentencePiece = encodeMessage([...pieces.map(pieceField), nested(2, [])])
const json = (model: object, added: unknown = []) => JSON.stringify({ model: { type: 'Unigram', ...model }, added_tokens: added })

/** The tokenizer of a folder with this file. */
async function load(file: 'spiece.model' | 'tokenizer.json' | null, content: string | Uint8Array = ''): Promise<UnigramTokenizer> {
  await using folder = await createTemporaryFolder()
  if (file !== null) await writeFile(join(folder.path, file), content)
  return await loadUnigramTokenizer(folder.path)
}

suite('a unigram tokenizer', () => {
  test('parts words into the likeliest pieces, with unknown letters as one token', async () => {
    const { encode } = await load('spiece.model', sentencePiece).then((tokenizer) => ({ encode: tokenizer.encode.bind(tokenizer) }))
    assert.deepEqual(encode('red fox'), [4, 3, 7])
    assert.deepEqual(encode('  red\n\tred '), [4, 4])
    assert.deepEqual(encode('reéd'), [5, 2, 6])
    assert.deepEqual(encode('🦊🦊red'), [3, 2, 6])
    assert.deepEqual(encode('ｒｅｄ\u200b'), [4], 'full width letters')
    assert.deepEqual(encode(''), [])
  })

  test('is the same from either file, up to the tokens that are added', async () => {
    const vocabulary = pieces.map(({ text: name, score }) => [name, score])
    const [one, other] = [await load('spiece.model', sentencePiece), await load('tokenizer.json', json({ vocab: vocabulary }))]
    for (const prompt of ['red fox', 'a</s>red', 'reéd']) assert.deepEqual(one.encode(prompt), other.encode(prompt))
    assert.deepEqual([one.size, other.size, one.endId], [pieces.length + 100, pieces.length, 1])
    assert.deepEqual(one.encode('<extra_id_0>red<extra_id_99>'), [pieces.length + 99, 4, pieces.length])
  })

  test('is rejected without a sound file', async () => {
    for (const [file, content, reason] of [
      [null, '', /"?spiece\.model"? is missing or cannot be read/],
      ['spiece.model', sentencePiece.subarray(0, 40), /is cut short/],
      ['spiece.model', encodeMessage(pieces.slice(0, 2).map(pieceField)), /holds no pieces/],
      ['tokenizer.json', json({ type: 'BPE' }), /holds no unigram tokenizer/],
      ['tokenizer.json', json({ vocab: [['a']] }), /has a piece without text and score/],
    ] as const)
      await assert.rejects(load(file, content), { code: 'inference_failed', message: reason })
  })
})
