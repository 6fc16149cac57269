import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadingText, stateText } from './model-state-text.ts'

test('a model that is loading is never shown as finished, and its percentage never breaks', () => {
  for (const [loadProgress, part] of [
    [0.42, '42\u00a0%'],
    [1, '99\u00a0%'],
  ] as const) {
    const state = { state: 'loading', loadProgress, memoryBytes: 0, slots: 0, inUse: 0, waiting: 0 } as const
    assert.equal(loadingText({ name: 'Owl', state }), `Loading Owl: ${part}`)
    assert.equal(stateText(state), `loading ${part}`)
    assert.equal(stateText({ ...state, state: 'loaded' }), 'loaded')
  }
})
