import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckpointFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import { findFamilyFaults } from './family-faults.ts'
import type { ImageBody } from './image-fields.ts'

const model = (family: CheckpointFamily): ImageModelDescriptor => ({
  ...{ kind: 'image', format: 'safetensors', id: 'm', name: 'm', folder: '/m', license: null, bytes: 1, created: 0 },
  native: { width: 1024, height: 1024 },
  draws: 'requested',
  sizes: { type: 'range', min: 64, max: 2048 },
  defaults: { steps: 4, guidanceScale: 1, sampler: 'K_EULER' },
  refiner: null,
  checkpoint: { family, inpainting: false, weights: '/m', prediction: null },
})

const everything: ImageBody = {
  ...{ prompt: 'a', prompt_2: 'b', negative_prompt: 'c', clip_skip: 1, guidance_rescale: 0.5 },
  ...{ vae: 'v', controlnet: 'n', textual_inversions: { t: 'w' }, skip_guidance_layers: [7], reference_images: ['r'] },
}

const refused: readonly (readonly [CheckpointFamily, readonly string[]])[] = [
  ['sdxl', ['reference_images', 'skip_guidance_layers']],
  ['sd3', ['textual_inversions', 'vae', 'controlnet', 'reference_images']],
  ['flux-schnell', ['textual_inversions', 'vae', 'controlnet', 'clip_skip', 'reference_images', 'skip_guidance_layers']],
  [
    'flux-dev',
    [
      'textual_inversions',
      'vae',
      'controlnet',
      'negative_prompt',
      'guidance_rescale',
      'clip_skip',
      'reference_images',
      'skip_guidance_layers',
    ],
  ],
  ['flux2-klein', ['textual_inversions', 'vae', 'controlnet', 'prompt_2', 'clip_skip', 'skip_guidance_layers']],
  ['z-image', ['textual_inversions', 'vae', 'controlnet', 'prompt_2', 'clip_skip', 'reference_images', 'skip_guidance_layers']],
]

for (const [family, fields] of refused)
  test(`${family} rejects fields it does not support by name`, () => {
    const faults = findFamilyFaults(everything, model(family))
    assert.deepEqual(
      faults.map(({ path: [field] }) => field),
      fields,
    )
  })
