import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextModelDescriptor } from '../../../core/model.ts'
import { modelNeeds } from './model-needs.ts'

test('on the CPU the thread pool for native calls has one thread, on a GPU one for every compute thread', () => {
  const model: TextModelDescriptor = {
    ...{
      kind: 'text',
      format: 'gguf',
      id: 'm',
      name: 'm',
      folder: '/models/m',
      file: '/models/m/m.gguf',
      license: null,
      bytes: 1,
      created: 0,
    },
    ...{ contextLength: null, embeddings: false, speculative: null },
  }
  const pool = (gpu: string) => modelNeeds(model, { gpu, threads: 8, memoryBytes: 1 }).environment.UV_THREADPOOL_SIZE
  assert.equal(pool('off'), '1')
  assert.equal(pool('cuda'), '8')
})
