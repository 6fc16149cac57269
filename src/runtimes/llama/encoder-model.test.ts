import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { miniChat } from '../../../test/support/mini-chat.ts'
import { begin, createEncoder, end } from '../../../test/support/model-files/encoder-gguf.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const { signal } = new AbortController()

test('an encoder returns the vectors of its reference formulas, for text and for tokens', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'encoder-'))
  const file = join(folder.path, 'model.gguf')
  const encoder = createEncoder()
  await writeFile(file, encoder.file)
  const descriptor = { ...miniChat, id: 'encoder', folder: folder.path, file, embeddings: true, generates: false, contextLength: null }
  await using model = await loadLlamaModel(descriptor, { threads: 1, slots: 2, signal })
  const texts = [[5, 7, 8], [6], [9, 5, 7, 9, 6, 8, 7]]
  const { vectors } = await model.embed({ model: 'encoder', inputs: [...texts, 'fox runs far'] }, { signal })
  for (const [index, tokens] of texts.entries()) {
    const expected = encoder.read([begin, ...tokens, end])
    const most = Math.max(...expected.map((value, at) => Math.abs(value - (vectors[index]?.[at] ?? Number.NaN))))
    assert.ok(most < 1e-3, `text ${index} differs by ${most}`)
  }
  assert.deepEqual(vectors[3], vectors[0])
  const [first = [], second = []] = texts.map((tokens) => encoder.read([begin, ...tokens, end]))
  assert.ok(
    first.some((value, at) => Math.abs(value - (second[at] ?? 0)) > 0.05),
    'texts are distinguished',
  )
})
