import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConsoleTextModel } from '../../contract/models.ts'
import { modelChoices } from './models.ts'

const model = (id: string, name: string): ConsoleTextModel => ({
  id,
  name,
  license: null,
  bytes: 0,
  created: 0,
  kind: 'text',
  embeddings: false,
  generates: true,
  looks: false,
  contextLength: null,
  state: { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 },
})

test('models with the same name are distinguished by their ids, others are shown by name', () => {
  const labels = modelChoices([model('qwen', 'Qwen'), model('qwen:q8_0', 'Qwen'), model('mini', 'Mini')]).map(({ label }) => label)
  assert.deepEqual(labels, ['Qwen (qwen)', 'Qwen (qwen:q8_0)', 'Mini'])
})
