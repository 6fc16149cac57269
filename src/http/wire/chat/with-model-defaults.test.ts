import assert from 'node:assert/strict'
import { test } from 'node:test'
import { miniChat } from '../../../../test/support/mini-chat.ts'
import type { ModelDescriptor } from '../../../core/model.ts'
import { withModelDefaults } from './with-model-defaults.ts'

const own = { ...miniChat, id: 'own', defaults: { temperature: 0.2, topP: 0.9, repetitionPenalty: 1.1 } }
const catalog = { find: (id: string): ModelDescriptor | undefined => [own, miniChat].find((model) => model.id === id) }

test('missing and null fields of a body get the defaults of the model', () => {
  assert.deepEqual(withModelDefaults(catalog, { model: 'own', temperature: null, seed: 1 }), {
    model: 'own',
    temperature: 0.2,
    top_p: 0.9,
    repetition_penalty: 1.1,
    seed: 1,
  })
})

test('fields in a body stay, under either name, and only fields of the route are added', () => {
  const body = { model: 'own', temperature: 0, top_p: 1, repeat_penalty: 1 }
  assert.deepEqual(withModelDefaults(catalog, body), body)
  assert.deepEqual(withModelDefaults(catalog, { model: 'own' }, ['temperature']), { model: 'own', temperature: 0.2 })
})

test('bodies for models without defaults and invalid bodies stay unchanged', () => {
  for (const body of [{ model: miniChat.id }, { model: 'unknown' }, { model: 7 }, {}, null, 'text', []])
    assert.deepEqual(withModelDefaults(catalog, body), body)
})
