import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AssetDescriptor } from '../../../core/assets/asset.ts'
import { type CheckpointFamily, checkpointFamilies } from '../../../core/checkpoint/checkpoint-family.ts'
import type { TextWidths } from '../../../core/checkpoint/text-widths.ts'
import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import { flowRefusals } from '../../../core/sampler.ts'
import { createFakeCatalog, describeFakeImage } from '../../../runtimes/fake/fake-catalog.ts'
import { findFamilyFaults, withOtherFaults } from './family-faults.ts'
import type { ImageBody } from './image-fields.ts'
import { type ImageParsing, parseImageRequest } from './image-request.ts'

const model = (family: CheckpointFamily) =>
  describeFakeImage({
    id: 'm',
    format: 'safetensors',
    native: { width: 1024, height: 1024 },
    defaults: { steps: 4, guidanceScale: 1, sampler: 'K_EULER' },
    checkpoint: { family, inpainting: false, weights: '/m', prediction: null },
  })

const everything: ImageBody = {
  ...{ prompt: 'a', prompt_2: 'b', negative_prompt: 'c', clip_skip: 1, guidance_rescale: 0.5 },
  ...{ vae: 'v', controlnet: 'n', textual_inversions: { t: 'w' }, skip_guidance_layers: [7], reference_images: ['r'] },
}

const refused: readonly (readonly [CheckpointFamily, readonly string[]])[] = [
  ['sdxl', ['reference_images', 'skip_guidance_layers']],
  ['sd15', ['reference_images', 'skip_guidance_layers']],
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

const server: ImageModelDescriptor = {
  ...model('sdxl'),
  ...{ format: 'openai-images', upstream: { url: 'http://x', model: 'm', keyFile: null, slots: 1 } },
  bounds: { clipSkip: 0, lcmSteps: null, refusedSamplers: {}, startsFromImage: false, takesSeeds: false },
}

test('a server or an export is the reason why a field is not supported, not a family', () => {
  const { checkpoint: _, ...exported } = model('sdxl')
  const said = (each: ImageModelDescriptor) =>
    findFamilyFaults({ ...everything, seed: 1, init_image: 'i', enable_hr: true }, each).map(({ message }) => message)
  assert.deepEqual(said(server), [
    ...['textual_inversions', 'vae', 'controlnet', 'reference_images', 'skip_guidance_layers', 'enable_hr', 'clip_skip'].map(
      (field) => `\`${field}\` must be left out: m runs on a server that does not support it.`,
    ),
    '`init_image` must be left out: m cannot start from an image.',
    '`seed` must be left out: m cannot repeat an image.',
  ])
  assert.deepEqual(said({ ...model('flux2-klein'), draws: 'native' }).slice(-1), [
    '`enable_hr` must be left out: m draws only at its native size.',
  ])
  assert.match(said({ ...exported, format: 'onnx-sdxl' }).join(), /`vae` must be left out: m is an ONNX export, which supports no assets/)
})

const nothing: ImageBody = {
  ...{ prompt: 'a', negative_prompt: '', negative_prompt_2: '', prompt_2: '', guidance_rescale: 0, enable_hr: false },
  ...{ textual_inversions: {}, loras: {}, controlnets: [] },
  ...{ controlnet_conditioning_scale: 1, controlnet_early_stop: 1, controlnet_preprocess: true },
  ...{ skip_layer_guidance_scale: 2.8, skip_layer_guidance_start: 0.01, skip_layer_guidance_stop: 0.2 },
}

for (const family of checkpointFamilies)
  test(`${family} accepts the defaults of fields it does not support, and empty ones`, async () => {
    const { checkpoint: _, ...exported } = model(family)
    for (const each of [model(family), { ...model(family), draws: 'native' as const }, server, exported])
      assert.deepEqual(findFamilyFaults(nothing, each), [])
    const { prompt } = await parse(nothing, model(family))
    assert.equal(prompt, 'a')
  })

test('other faults of a field to leave out are dropped', () => {
  const [one, other] = findFamilyFaults({ prompt: 'a', clip_skip: 1, negative_prompt_2: 'b' }, model('flux2-klein'))
  assert.ok(one && other)
  const third = { ...other, path: ['steps'] }
  assert.deepEqual(withOtherFaults([one, other], [{ ...one, message: 'more' }, third, other]), [one, other, third])
})

const noHints = { encoding: null, lonely: false, previews: false }

function parse(fields: object, descriptor: ImageModelDescriptor, assets: readonly AssetDescriptor[] = []): Promise<ImageRequest> {
  const deps: ImageParsing = {
    catalog: createFakeCatalog([descriptor], assets),
    inspectImage: async () => ({ format: 'png', width: 8, height: 8 }),
  }
  const reading = { body: { prompt: 'a fox', ...fields }, hints: noHints, families: checkpointFamilies }
  return parseImageRequest(deps, reading, { signal: new AbortController().signal }).then(({ request }) => request)
}

test('a field that a model does not support has one fault, which comes with all others', async () => {
  const bounds = { clipSkip: 0, lcmSteps: null, refusedSamplers: flowRefusals, startsFromImage: true, takesSeeds: true }
  const klein: ImageModelDescriptor = {
    ...model('flux2-klein'),
    bounds,
    checkpoint: { family: 'flux2-klein', inpainting: false, weights: '/m', prediction: null, files: { vae: '/vae/ae.safetensors' } },
  }
  const fields = { clip_skip: 1, negative_prompt_2: 'a', vae: 'other', strength: 0.5, steps: 1, sampler: 'LCM' }
  const refusal: unknown = await parse(fields, klein).catch((error: unknown) => error)
  assert.ok(refusal instanceof ServiceError)
  assert.deepEqual(
    refusal.faults.map(({ path, kind }) => [path[0], kind]),
    [
      ['vae', 'unsupported'],
      ['negative_prompt_2', 'unsupported'],
      ['clip_skip', 'unsupported'],
      ['sampler', 'unsupported'],
      ['strength', 'conflict'],
    ],
  )
  for (const vae of ['ae', 'ae.safetensors', 'flux/ae']) assert.equal((await parse({ vae }, klein)).vae, undefined, vae)
})

test('what the headers of a Stable Diffusion 3 rule out is refused before it is loaded', async () => {
  const bounds = {
    clipSkip: 2,
    lcmSteps: null,
    refusedSamplers: flowRefusals,
    startsFromImage: true,
    takesSeeds: true,
    maxSide: 768,
    blocks: 3,
  }
  const native = { width: 512, height: 512 }
  const sd3: ImageModelDescriptor = { ...model('sd3'), native, bounds }
  for (const [fields, message] of [
    [{ width: 776, height: 64 }, '`width` × `height` of 776 × 64 is not a size of m: use at most 768 × 768.'],
    [{ enable_hr: true }, '`hr_scale` enlarges the image to 1024 × 1024, and m draws at most 768 × 768: use a smaller one.'],
    [{ skip_guidance_layers: [1, 3] }, '`skip_guidance_layers` may contain 0 to 2, the blocks of m, not 3.'],
    [{ clip_skip: 3 }, '`clip_skip` must be at most 2 for m.'],
  ] as const)
    await assert.rejects(parse(fields, sd3), { message })
  await parse({ enable_hr: true, hr_scale: 1.5, skip_guidance_layers: [2], cfg_scale: 4, clip_skip: 2 }, sd3)
  const blind = { ...sd3, bounds: { ...bounds, startsFromImage: false } }
  await assert.rejects(parse({ init_image: 'AAAA' }, blind), { message: '`init_image` must be left out: m cannot start from an image.' })
})

test('a LoRA for other transformers, or with what they do not support, is refused before it is loaded', async () => {
  const lora = (name: string): AssetDescriptor => ({ kind: 'lora', name, file: name, family: null, bytes: 1, created: 1 })
  const assets: readonly AssetDescriptor[] = [
    { ...lora('flux'), families: ['flux-dev', 'flux-schnell'] },
    { ...lora('word'), families: ['sd3'], embeds: true },
    lora('any'),
    { ...lora('large'), families: ['sd3'], width: 2432 },
  ]
  await parse({ loras: { flux: 1, any: 1 } }, model('flux-schnell'), assets)
  await assert.rejects(parse({ loras: { flux: 1 } }, model('sd3'), assets), {
    message: '`loras` names flux, which is for FLUX.1 dev or FLUX.1 schnell; m is a model of Stable Diffusion 3.',
  })
  await assert.rejects(parse({ loras: { flux: 1 } }, model('sdxl'), assets), { message: /is for FLUX\.1 dev/ })
  await assert.rejects(parse({ loras: { word: 1 } }, model('sd3'), assets), { message: /contains a textual inversion/ })
  const bounds = { clipSkip: 2, lcmSteps: null, refusedSamplers: {}, startsFromImage: true, takesSeeds: true }
  await parse({ loras: { large: 1 } }, { ...model('sd3'), bounds: { ...bounds, width: 2432 } }, assets)
  await assert.rejects(parse({ loras: { large: 1 } }, { ...model('sd3'), bounds: { ...bounds, width: 1536 } }, assets), {
    message: '`loras` names large, which is for a transformer of width 2432; that of m has 1536.',
  })
})

test('vectors of another width than that of a text encoder are refused before the model is loaded', async () => {
  const asset = (kind: 'lora' | 'textual-inversion', name: string, textWidths?: TextWidths): AssetDescriptor => {
    return { kind, name, file: name, family: null, bytes: 1, created: 1, ...(textWidths && { textWidths }) }
  }
  const assets: readonly AssetDescriptor[] = [
    asset('textual-inversion', 'small', { first: 768 }),
    asset('textual-inversion', 'large', { first: 1024 }),
    asset('textual-inversion', 'both', { first: 768, second: 1280 }),
    asset('textual-inversion', 'mixed', { first: 768, second: 1024 }),
    asset('textual-inversion', 'second', { second: 1280 }),
    asset('textual-inversion', 'unknown'),
    { ...asset('lora', 'word', { first: 1024 }), embeds: true },
  ]
  const bounds = { clipSkip: 2, lcmSteps: null, refusedSamplers: {}, startsFromImage: true, takesSeeds: true }
  const draw = (name: string, family: CheckpointFamily, textWidths?: TextWidths): Promise<ImageRequest> => {
    const fields = name === 'word' ? { loras: { word: 1 } } : { textual_inversions: { [name]: 'zqx' } }
    return parse(fields, { ...model(family), bounds: { ...bounds, ...(textWidths && { textWidths }) } }, assets)
  }
  const sdxl = { first: 768, second: 1280 }
  for (const name of ['small', 'both', 'second', 'unknown']) await draw(name, 'sdxl', sdxl)
  for (const name of ['small', 'both', 'unknown']) await draw(name, 'sd15', { first: 768 })
  for (const name of ['large', 'mixed', 'second', 'word']) await draw(name, 'sdxl')
  for (const [name, family, widths, message] of [
    ['large', 'sdxl', sdxl, 'large, which has vectors of width 1024 for the first text encoder; that of m takes 768.'],
    ['mixed', 'sdxl', sdxl, 'mixed, which has vectors of width 1024 for the second text encoder; that of m takes 1280.'],
    ['small', 'sd2', { first: 1024 }, 'small, which has vectors of width 768 for the first text encoder; that of m takes 1024.'],
    ['second', 'sd15', { first: 768 }, 'second, which has vectors of width 1280 for the second text encoder; m has none.'],
    ['word', 'sd15', { first: 768 }, 'word, which has vectors of width 1024 for the first text encoder; that of m takes 768.'],
  ] as const)
    await assert.rejects(draw(name, family, widths), {
      message: `\`${name === 'word' ? 'loras' : 'textual_inversions'}\` names ${message}`,
    })
})

test('a name of another kind of file is refused with what it is', async () => {
  const ink: AssetDescriptor = { kind: 'lora', name: 'ink', file: '/ink', family: null, bytes: 1, created: 1 }
  for (const [vae, message] of [
    ['ink', /`vae` names ink, which is a LoRA, not a VAE; installed are: none/],
    ['m', /`vae` names m, which is a model, not a VAE/],
    ['absent', /`vae` names absent, which is not installed/],
  ] as const)
    await assert.rejects(parse({ vae }, model('sd15'), [ink]), { message })
})
