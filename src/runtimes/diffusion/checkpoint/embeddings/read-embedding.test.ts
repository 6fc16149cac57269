import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type NamedTensor, safetensorsFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import type { TextPath } from '../../prompts/encode-prompts.ts'
import type { EncoderRow } from '../../prompts/text-encoder.ts'
import { readEmbedding, type TriggerWord, withTriggerWords } from './read-embedding.ts'

const options = { signal: new AbortController().signal }
const tensor = (name: string, ...rows: readonly (readonly number[])[]): NamedTensor => {
  return { name, shape: [rows.length, rows[0]?.length ?? 0], values: Float32Array.from(rows.flat()) }
}
const numbersOf = (vectors: readonly Float32Array[] | null) => vectors?.map((vector) => [...vector]) ?? null

async function read(...tensors: readonly NamedTensor[]) {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, 'word.safetensors')
  await writeFile(path, safetensorsFile(tensors))
  const { first, second } = await readEmbedding(path, options)
  return { first: numbersOf(first), second: numbersOf(second) }
}

suite('a textual inversion', () => {
  test('has one tensor of vectors, or one for each encoder of SDXL', async () => {
    const rows = [
      [1, 2],
      [3, 4],
    ]
    assert.deepEqual(await read(tensor('emb_params', ...rows)), { first: rows, second: null })
    assert.deepEqual(await read(tensor('<a-word>', [5, 6])), { first: [[5, 6]], second: null })
    assert.deepEqual(await read(tensor('clip_l', [1, 2]), tensor('clip_g', [3, 4, 5])), { first: [[1, 2]], second: [[3, 4, 5]] })
    assert.deepEqual(await read(tensor('clip_g', [3, 4, 5])), { first: null, second: [[3, 4, 5]] })
  })

  test('is rejected with several other tensors, none, and numbers that are none', async () => {
    const unsupported = { code: 'unsupported', param: 'textual_inversions' }
    await assert.rejects(read(tensor('a', [1]), tensor('b', [1])), {
      ...unsupported,
      message: /word\.safetensors holds no textual inversion/,
    })
    await assert.rejects(read(), unsupported)
    await assert.rejects(read(tensor('emb_params', [1, Number.NaN])), {
      ...unsupported,
      message: /The textual inversion word\.safetensors/,
    })
  })
})

/** An encoder of two numbers per token, whose tokens are the codes of the letters. */
function pathOf(width: number | null = 2) {
  const encoded: EncoderRow[] = []
  const path: TextPath = {
    reads: 'second',
    tokenizer: { startId: 1, endId: 2, padId: 0, maxLength: 77, encode: (text) => [...text].map((letter) => letter.charCodeAt(0)) },
    encoder: {
      width,
      pooledWidth: null,
      maxClipSkip: 2,
      encode: async (rows) => {
        encoded.push(...rows)
        return []
      },
    },
  }
  return { path, encoded }
}

const wordOf = (trigger: string, ...vectors: readonly (readonly number[])[]): TriggerWord => {
  return { trigger, vectors: vectors.map((vector) => Float32Array.from(vector)) }
}

suite('trigger words', () => {
  test('become a token per vector, which the encoder gets in their places', async () => {
    const { path, encoded } = pathOf()
    const { tokenizer, encoder, reads } = withTriggerWords(path, [wordOf('<fox>', [1, 2], [3, 4]), wordOf('<fox>-red', [5, 6])])
    assert.deepEqual([reads, tokenizer.maxLength, encoder.maxClipSkip], ['second', 77, 2])
    const ids = tokenizer.encode('a<fox>b<fox>-red')
    assert.deepEqual(
      ids.map((id) => (id < 1000 ? String.fromCharCode(id) : 'vector')),
      ['a', 'vector', 'vector', 'b', 'vector'],
    )
    await encoder.encode([{ ids: [1, ...ids, 2] }], 1)
    assert.deepEqual(encoded[0]?.ids, [1, 97, 0, 0, 98, 0, 2])
    const vectors = [...(encoded[0]?.vectors ?? [])].map(([place, vector]) => [place, [...vector]])
    assert.deepEqual(vectors, [
      [2, [1, 2]],
      [3, [3, 4]],
      [5, [5, 6]],
    ])
  })

  test('may hold characters of patterns, and change nothing if there are none', () => {
    const { path } = pathOf()
    const { tokenizer } = withTriggerWords(path, [wordOf('a.b*', [1, 2])])
    assert.deepEqual([tokenizer.encode('axb').length, tokenizer.encode('a.b*').length], [3, 1])
    assert.equal(withTriggerWords(path, []).tokenizer, path.tokenizer)
  })

  test('are rejected by an encoder of another width', () => {
    const word = wordOf('<fox>', [1, 2, 3])
    assert.throws(() => withTriggerWords(pathOf().path, [word]), {
      code: 'unsupported',
      message: /vectors of 3 numbers, but the model's text encoder takes 2; it is for another family/,
    })
    withTriggerWords(pathOf(null).path, [word])
  })
})
