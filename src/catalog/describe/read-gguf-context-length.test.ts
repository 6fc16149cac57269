import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type GgufEntry, ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readGgufContextLength } from './read-gguf-context-length.ts'

async function readLength(content: Buffer | readonly GgufEntry[]): Promise<number | null> {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'model.gguf')
  await writeFile(file, Buffer.isBuffer(content) ? content : writeGguf(content, []))
  return readGgufContextLength(file)
}

const architecture = ['general.architecture', ggufValue('llama')] as const
const length = ['llama.context_length', ggufValue(131_072)] as const
const words = ['tokenizer.ggml.tokens', ggufValue(Array.from({ length: 30_000 }, (_, index) => `word ${index}`))] as const
const types = ['tokenizer.ggml.token_type', ggufValue(Array.from({ length: 30_000 }, () => 1))] as const

test('reads the length of the built-in model', async () => {
  assert.equal(await readGgufContextLength(fileURLToPath(new URL('../../../models/sepia-mini-chat/model.gguf', import.meta.url))), 1024)
})

test('finds the length wherever it stands, beyond a vocabulary too', async () => {
  for (const header of [
    [architecture, length, words],
    [words, types, length, architecture],
    [['clip.context_length', ggufValue(77)] as const, architecture, types, length],
  ])
    assert.equal(await readLength(header), 131_072)
})

test('a file that does not say its length, or is none, has none', async () => {
  const whole = writeGguf([architecture, words, length], [])
  const endless = Buffer.from(whole)
  endless.writeBigUInt64LE(2n ** 60n, 24)
  const old = Buffer.from(whole)
  old.writeUInt32LE(1, 4)
  for (const content of [[architecture], [length], Buffer.from('weights'), Buffer.alloc(0), whole.subarray(0, 1000), endless, old])
    assert.equal(await readLength(content), null)
})
