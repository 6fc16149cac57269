import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeCatalog, describeFakeImage } from '../../../runtimes/fake/fake-catalog.ts'
import type { ImageBody } from './image-fields.ts'
import { parseImageRequest } from './image-request.ts'

const model = describeFakeImage({
  id: 'xl',
  format: 'safetensors',
  draws: 'requested',
  defaults: { steps: 30, guidanceScale: 12, sampler: 'DDIM' },
  checkpoint: { family: 'sdxl', inpainting: false, weights: '/xl', prediction: null },
})
const lora = { kind: 'lora', file: '/x', family: 'sdxl', bytes: 1, created: 1 } as const
const lightning = { steps: 8, guidanceScale: 1, sampler: 'K_EULER', timestepSpacing: 'trailing' } as const
const lcm = { steps: 4, guidanceScale: 1, sampler: 'LCM', timestepSpacing: null } as const
const catalog = createFakeCatalog(
  [model],
  [
    { ...lora, name: 'ink' },
    { ...lora, name: 'fast', pace: lightning },
    { ...lora, name: 'lcm', pace: lcm },
  ],
)

async function drawnWith(fields: Partial<ImageBody>) {
  const { request } = await parseImageRequest(
    { catalog, inspectImage: async () => ({ format: 'png', width: 8, height: 8 }) },
    { body: { prompt: 'a fox', ...fields }, hints: { encoding: null, lonely: false, previews: false }, families: ['sdxl'] },
    { signal: new AbortController().signal },
  )
  const { steps, guidanceScale, sampler, timestepSpacing = null } = request
  return [steps, guidanceScale, sampler, timestepSpacing]
}

test('a LoRA for few steps sets the fields that a request leaves out', async () => {
  assert.deepEqual(await drawnWith({}), [30, 12, 'DDIM', null])
  assert.deepEqual(await drawnWith({ loras: { ink: 1 } }), [30, 12, 'DDIM', null])
  assert.deepEqual(await drawnWith({ loras: { ink: 1, fast: 1 } }), [8, 1, 'K_EULER', 'trailing'])
  assert.deepEqual(await drawnWith({ prompt: 'a fox <lora:lcm:0.9>' }), [4, 1, 'LCM', null])
})

test('the fields of a request take precedence, and a LoRA with a weight of 0 or less sets nothing', async () => {
  assert.deepEqual(await drawnWith({ loras: { fast: 1 }, steps: 5, cfg_scale: 2, sampler: 'DDIM' }), [5, 2, 'DDIM', 'trailing'])
  assert.deepEqual(await drawnWith({ loras: { fast: 0 } }), [30, 12, 'DDIM', null])
  assert.deepEqual(await drawnWith({ loras: { fast: -1 } }), [30, 12, 'DDIM', null])
  assert.deepEqual(await drawnWith({ loras: { lcm: 0.5, fast: 1 } }), [4, 1, 'LCM', null])
})

test('each prompt is searched for tags once, and each asset is looked up once', async (context) => {
  const assets = [
    { ...lora, name: 'ink' },
    { ...lora, name: 'fast', pace: lightning },
    { ...lora, kind: 'textual-inversion', name: 'style' },
    { ...lora, kind: 'vae', name: 'sharp' },
    { ...lora, kind: 'controlnet', name: 'edges' },
  ] as const
  const catalog = createFakeCatalog([model], assets)
  const lookedUp = context.mock.method(catalog, 'findAsset')
  const replaced = context.mock.method(String.prototype, 'replaceAll')
  const body = {
    prompt: 'a fox <lora:fast>',
    prompt_2: 'flat <lora:ink:0.5>',
    negative_prompt: 'dog',
    cfg_scale: 5,
    textual_inversions: { style: 'inky' },
    vae: 'sharp',
    controlnet: 'edges',
    controlnet_image: 'iVBORw0KGgo=',
  }
  const { request } = await parseImageRequest(
    { catalog, inspectImage: async () => ({ format: 'png', width: 8, height: 8 }) },
    { body, hints: { encoding: null, lonely: false, previews: false }, families: ['sdxl'] },
    { signal: new AbortController().signal },
  )
  assert.deepEqual(
    request.loras.map(({ name }) => name),
    ['fast', 'ink'],
  )
  const names = lookedUp.mock.calls.map(({ arguments: [kind, name] }) => `${kind} ${name}`)
  assert.deepEqual(names.toSorted(), ['controlnet edges', 'lora fast', 'lora ink', 'textual-inversion style', 'vae sharp'])
  const tagReads = replaced.mock.calls.filter(
    ({ arguments: [pattern] }) => pattern instanceof RegExp && pattern.source.includes('<([a-z]+):'),
  )
  assert.equal(tagReads.length, 3)
})
