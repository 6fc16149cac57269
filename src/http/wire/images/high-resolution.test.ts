import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import { createFakeCatalog, describeFakeImage } from '../../../runtimes/fake/fake-catalog.ts'
import { findHighResolutionFaults, readHighResolution } from './high-resolution.ts'
import type { ImageBody } from './image-fields.ts'

const checkpoint = describeFakeImage({
  format: 'safetensors',
  draws: 'requested',
  checkpoint: { family: 'sdxl', inpainting: false, weights: '/x', prediction: null },
})
const catalog = createFakeCatalog([checkpoint, describeFakeImage({ id: '4x', format: 'upscaler', upscaler: { weights: '/4x', scale: 4 } })])

function refused(fields: Partial<ImageBody>, model: ImageModelDescriptor = checkpoint): readonly (readonly [unknown, string])[] {
  return [...findHighResolutionFaults({ prompt: 'a fox', ...fields }, model, catalog)].map(({ path, kind }) => [path[0], kind])
}

const own = { enable_hr: true, hr_scale: 1.3, hr_upscaler: '4x', hr_second_pass_steps: 10, denoising_strength: 0.3 } as const

suite('a second pass', () => {
  test('starts at the requested size and ends larger', () => {
    const first = { width: 896, height: 1152, steps: 20 }
    assert.deepEqual(readHighResolution({ prompt: 'a fox', enable_hr: true }, first), {
      highResolution: { first: { width: 896, height: 1152 }, steps: 20, strength: 0.7, upscaler: null },
      width: 1792,
      height: 2304,
    })
    assert.deepEqual(readHighResolution({ prompt: 'a fox', ...own }, first), {
      highResolution: { first: { width: 896, height: 1152 }, steps: 10, strength: 0.3, upscaler: '4x' },
      width: 1168,
      height: 1496,
    })
    assert.equal(readHighResolution({ prompt: 'a fox', hr_scale: 2 }, first), null)
  })

  test('is enlarged by an installed upscaler or in latent space', () => {
    assert.deepEqual(refused(own), [])
    assert.deepEqual(refused({ enable_hr: true, hr_upscaler: 'latent' }), [])
    assert.deepEqual(refused({ ...own, hr_upscaler: 'absent' }), [['hr_upscaler', 'unsupported']])
    const exported = describeFakeImage({ draws: 'requested', format: 'onnx-sdxl' })
    assert.deepEqual(refused(own, exported), [['hr_upscaler', 'unsupported']])
    assert.deepEqual(refused({ enable_hr: true }, exported), [])
  })

  test('needs at least one step and no start image', () => {
    assert.deepEqual(refused({ ...own, hr_second_pass_steps: 3 }), [['denoising_strength', 'range']])
    assert.deepEqual(refused({ enable_hr: true, init_image: 'AAAA' }), [['enable_hr', 'conflict']])
    const bounds = { clipSkip: null, lcmSteps: 50, refusedSamplers: {}, startsFromImage: true, takesSeeds: true }
    const bounded = { ...checkpoint, bounds }
    assert.deepEqual(refused({ enable_hr: true, sampler: 'LCM', steps: 4, hr_second_pass_steps: 60 }, bounded), [
      ['hr_second_pass_steps', 'range'],
    ])
  })
})
