import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDescriptor } from '../core/model.ts'
import { showModel } from './show-model.ts'

const secret = '/srv/secret'
const common = { id: 'm', name: 'M', folder: secret, license: null, bytes: 1, created: 0 }
const upstream = { url: 'http://10.0.0.7:8000/v1', model: 'm', keyFile: `${secret}/key`, slots: 4 }

const text: ModelDescriptor = {
  ...common,
  kind: 'text',
  format: 'openai',
  file: `${secret}/model.json`,
  upstream,
  contextLength: null,
  embeddings: true,
  generates: false,
  speculative: { method: 'draft-model', file: `${secret}/draft.gguf` },
}
const image: ModelDescriptor = {
  ...common,
  kind: 'image',
  format: 'safetensors',
  native: { width: 512, height: 512 },
  draws: 'requested',
  sizes: { type: 'range', min: 64, max: 1024 },
  defaults: { steps: 30, guidanceScale: 12, sampler: 'DDIM' },
  refiner: `${secret}/refiner`,
  upstream,
  workflow: { nodes: { 4: secret }, open: ['prompt'] },
  checkpoint: { family: 'sd15', inpainting: false, weights: `${secret}/m.safetensors`, prediction: null },
}

test('a model is described without paths of the machine or addresses of its network', () => {
  for (const descriptor of [text, image]) {
    const shown = JSON.stringify(showModel({ descriptor, state: null, contextLength: null }, null))
    assert.doesNotMatch(shown, /secret|10\.0\.0\.7/)
  }
})

test('a model is described with what its page needs: its output, its place, and the family that decides its route', () => {
  const [chat, picture] = [text, image].map((descriptor) => showModel({ descriptor, state: null, contextLength: 4096 }, null))
  assert.ok(chat?.kind === 'text' && picture?.kind === 'image')
  assert.deepEqual([chat.generates, chat.contextLength, chat.state.state], [false, 4096, 'unloaded'])
  assert.deepEqual([picture.family, picture.native.width], ['sd15', 512])
})
