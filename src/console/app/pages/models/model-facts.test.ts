import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

openBrowserPage('/console/models')
const { modelFacts } = await import('./model-facts.ts')

const state = { state: 'unloaded', memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const
const common = { kind: 'text', id: 'm', name: 'M', license: null, bytes: 1, created: 0, contextLength: null, looks: false, state } as const

for (const [produced, generates, embeddings] of [
  ['text', true, false],
  ['text', true, true],
  ['embeddings', false, true],
  ['rankings', false, false],
] as const)
  test(`a model that ${generates ? 'generates' : embeddings ? 'embeds' : 'ranks'} produces ${produced}`, () => {
    assert.deepEqual(modelFacts({ ...common, generates, embeddings })[0], ['Produces', produced])
  })
