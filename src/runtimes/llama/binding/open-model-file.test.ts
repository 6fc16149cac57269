import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { miniChat } from '../../../../test/support/mini-chat.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { chooseGpuLayers, chooseLoadMode, openModelFile } from './open-model-file.ts'

const facts = { cacheBytesPerToken: 1e5, vocabularySize: 1e5, split: null, header: { promisedBytes: 8e9 } }
const layersFor = (freeBytes: number, changes: Partial<typeof facts> | { split: { index: 0; count: 2 } } = {}): number =>
  chooseGpuLayers({ ...facts, ...changes }, { layers: 33, freeBytes, cachedTokens: 4096 })

test('all layers are offloaded to a GPU if they fit with their caches, otherwise as many as fit', () => {
  assert.equal(layersFor(24e9), 33)
  assert.equal(layersFor(4e9), 13)
  assert.equal(layersFor(1e8), 0)
})

test('the size of a file of two parts includes both', () => {
  assert.equal(layersFor(8e9, { split: { index: 0, count: 2 } }), 14)
})

test('weights are read into large pages if they take at most half of the memory for models, and always if llama.cpp rearranges them', () => {
  for (const [quantization, gigabytes, parts, largePages, mode] of [
    ['Q4_1', 0.1, 1, true, 'copied'],
    ['Q4_1', 0.1, 1, false, 'mapped'],
    ['Q6_K', 9, 1, true, 'copied'],
    ['Q6_K', 9.1, 1, true, 'mapped'],
    ['F16', 3, 3, true, 'copied'],
    ['F16', 3, 4, true, 'mapped'],
    ['Q8_0', 17, 1, true, 'copied'],
    ['Q4_K', 30, 1, false, 'copied'],
  ] as const) {
    const split = parts === 1 ? null : { index: 0, count: parts }
    const chosen = chooseLoadMode({ quantization, split, header: { promisedBytes: gigabytes * 1e9 } }, { memory: 18e9, largePages })
    assert.equal(chosen, mode, `${parts} × ${gigabytes} GB of ${quantization}, ${largePages ? 'with' : 'without'} large pages`)
  }
})

test('a file damaged since it was listed is rejected with the reason, and never loaded again', async () => {
  await using folder = await createTemporaryFolder()
  const whole = await readFile(miniChat.file)
  for (const [name, content, fault] of [
    ['cut', whole.subarray(0, -1), /^The model cannot be used: cut\.gguf is cut short: it has 7950047 bytes/],
    ['garbage', Buffer.alloc(1000, 'garbage'), /^The model cannot be used: garbage\.gguf is not a GGUF file\.$/],
  ] as const) {
    const path = join(folder.path, `${name}.gguf`)
    await writeFile(path, content)
    await assert.rejects(openModelFile(path, { signal: new AbortController().signal }), {
      code: 'inference_failed',
      param: 'model',
      message: fault,
    })
  }
})
