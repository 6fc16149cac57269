import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadClipTokenizer } from './load-tokenizer.ts'
import { promptChunks } from './prompt-chunks.ts'

const golden = new URL('../../../../test/fixtures/golden/', import.meta.url)
const folder = fileURLToPath(new URL('tiny-sdxl', golden))
const { tokens }: { tokens: Record<string, [number[], number[]]> } = JSON.parse(await readFile(new URL('parity.json', golden), 'utf8'))
const tokenizers = [await loadClipTokenizer(folder, 'tokenizer'), await loadClipTokenizer(folder, 'tokenizer_2')]

for (const [text, expected] of Object.entries(tokens)) {
  for (const [i, tokenizer] of tokenizers.entries()) {
    test(`tokenizer ${i + 1} encodes ${JSON.stringify(text.slice(0, 40))} like Hugging Face's`, () => {
      const [chunk] = promptChunks(tokenizer, [{ text, weight: 1 }])
      assert.deepEqual([...(chunk?.ids ?? [])], expected[i])
    })
  }
}

test('the end token written in a prompt is read as the end token', async () => {
  const [first] = tokenizers
  assert.deepEqual(first?.encode('a<|endoftext|>b'), [...(first?.encode('a') ?? []), first?.endId, ...(first?.encode('b') ?? [])])
})

/** A tokenizer folder that contains only a `tokenizer.json`. */
async function writeWhole(parent: string, name: string, pairs: boolean): Promise<void> {
  const vocab = JSON.parse(await readFile(join(folder, name, 'vocab.json'), 'utf8'))
  const lines = (await readFile(join(folder, name, 'merges.txt'), 'utf8'))
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
  const merges = pairs ? lines.map((line) => line.split(' ')) : lines
  await mkdir(join(parent, name))
  const padding = name === 'tokenizer_2' ? { pad_token: '!' } : null
  await writeFile(
    join(parent, name, 'tokenizer.json'),
    JSON.stringify({ model: { type: 'BPE', vocab, merges }, padding, added_tokens: [] }),
  )
}

for (const pairs of [false, true]) {
  test(`a tokenizer.json alone gives the same tokens, with its merges written as ${pairs ? 'pairs' : 'texts'}`, async (context) => {
    const parent = await mkdtemp(join(tmpdir(), 'sepia-tokenizer-'))
    context.after(() => rm(parent, { recursive: true }))
    for (const [i, name] of ['tokenizer', 'tokenizer_2'].entries()) {
      await writeWhole(parent, name, pairs)
      const tokenizer = await loadClipTokenizer(parent, name)
      for (const [text, expected] of Object.entries(tokens)) {
        const [chunk] = promptChunks(tokenizer, [{ text, weight: 1 }])
        assert.deepEqual([...(chunk?.ids ?? [])], expected[i], `${name}: ${text}`)
      }
    }
  })
}

test('the maps of special tokens are optional, and a tokenizer.json without a tokenizer is rejected by name', async (context) => {
  const parent = await mkdtemp(join(tmpdir(), 'sepia-tokenizer-'))
  context.after(() => rm(parent, { recursive: true }))
  await cp(join(folder, 'tokenizer'), join(parent, 'tokenizer'), { recursive: true })
  await rm(join(parent, 'tokenizer', 'special_tokens_map.json'), { force: true })
  assert.deepEqual((await loadClipTokenizer(parent, 'tokenizer')).encode('a cat'), tokenizers[0]?.encode('a cat'))
  await mkdir(join(parent, 'other'))
  await writeFile(join(parent, 'other', 'tokenizer.json'), '{"model":{"type":"Unigram","vocab":[]}}')
  await assert.rejects(loadClipTokenizer(parent, 'other'), {
    code: 'inference_failed',
    message: /other\/tokenizer\.json holds no byte-pair/,
  })
})
