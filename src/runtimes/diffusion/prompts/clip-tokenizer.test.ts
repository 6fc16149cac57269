import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadClipTokenizer } from './clip-tokenizer.ts'
import { promptChunks } from './prompt-chunks.ts'

const golden = new URL('../../../../test/fixtures/golden/', import.meta.url)
const folder = fileURLToPath(new URL('tiny-sdxl', golden))
const { tokens }: { tokens: Record<string, [number[], number[]]> } = JSON.parse(await readFile(new URL('parity.json', golden), 'utf8'))
const tokenizers = [await loadClipTokenizer(folder, 'tokenizer'), await loadClipTokenizer(folder, 'tokenizer_2')]

for (const [text, expected] of Object.entries(tokens)) {
  for (const [i, tokenizer] of tokenizers.entries()) {
    test(`tokenizer ${i + 1} reads ${JSON.stringify(text.slice(0, 40))} as Hugging Face's does`, () => {
      const [chunk] = promptChunks(tokenizer, [{ text, weight: 1 }])
      assert.deepEqual([...(chunk?.ids ?? [])], expected[i])
    })
  }
}

test('the end token written out in a prompt is the end token', async () => {
  const [first] = tokenizers
  assert.deepEqual(first?.encode('a<|endoftext|>b'), [...(first?.encode('a') ?? []), first?.endId, ...(first?.encode('b') ?? [])])
})
