import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import { findImageBodyFaults } from '../../../../../../test/support/wire/what-routes-take.ts'
import { samplers } from '../../../../../core/sampler.ts'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import type { ConsoleImageModel } from '../../../../contract/models.ts'

openBrowserPage('/console/images')
const { imageSettings } = await import('./image-settings.ts')
const { imageRequestBody } = await import('./image-request-body.ts')
const { abilitiesOf } = await import('./image-abilities.ts')
const { areNumbersRight, imageRanges, isWithin } = await import('./image-ranges.ts')
const { addControlnet, areControlnetsReady, changeControlnet, controlnets, removeControlnet } = await import('./controlnets.ts')

const settings = {
  ...imageSettings.value,
  model: 'sdxl',
  prompt: ' a tiger ',
  width: 1024,
  height: 1024,
  steps: 30,
  guidanceScale: 12,
}
type Settings = typeof settings

const model = { family: 'sdxl', refines: false, drawsTwice: false, takesAssets: true, repaintsOnly: false } as ConsoleImageModel
const open = { refusedSamplers: {} } as unknown as NonNullable<ConsoleImageModel['bounds']>
const asset = (kind: ImageAsset['kind'], name: string, family: ImageAsset['family'] = 'sdxl') => ({ kind, name, family }) as ImageAsset
const assets = [
  asset('lora', 'ink'),
  asset('lora', 'old', 'sd15'),
  asset('vae', 'fine'),
  asset('textual-inversion', 'grin'),
  asset('controlnet', 'edges', null),
]
const start = { url: 'data:image/png;base64,AAAA', width: 1024, height: 1024, mask: null, extended: false }
const masked = { ...start, mask: 'data:image/png;base64,BBBB' }
const body = (
  change: Partial<Settings> = {},
  {
    start: from = null,
    of = model,
    nets = [],
  }: { start?: typeof start | typeof masked | null; of?: ConsoleImageModel; nets?: typeof controlnets.value } = {},
) =>
  imageRequestBody(
    { ...settings, ...change },
    { start: from, controlnets: nets, references: ['data:image/png;base64,CCCC'], abilities: abilitiesOf(of, assets, ['fast']) },
  )
const plain = body()
const added = (...requested: Parameters<typeof body>) =>
  Object.fromEntries(
    Object.entries(body(...requested)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(Object(plain)[name])),
  )

suite('the request of the image form', () => {
  test('options that a model family does not support are left out, and its guidance decides about negative prompts', () => {
    const fitting = [asset('lora', 'any', null), asset('vae', 'fine', null)]
    const requested = { negativePrompt: 'blur', prompt2: 'fur', guidanceRescale: 0.5, loras: [{ name: 'any', weight: 1 }], vae: 'fine' }
    const fieldsOf = (family: ConsoleImageModel['family'], guidanceScale: number) => {
      const abilities = abilitiesOf({ ...model, family }, fitting, [])
      const request = imageRequestBody(
        { ...settings, ...requested, guidanceScale },
        { start: null, controlnets: [], references: [], abilities },
      )
      return ['negative_prompt', 'prompt_2', 'guidance_rescale', 'loras', 'vae'].filter((field) => field in request)
    }
    assert.deepEqual(fieldsOf('sdxl', 0.5), ['prompt_2', 'loras', 'vae'])
    assert.deepEqual(fieldsOf('z-image', 0.5), ['negative_prompt', 'guidance_rescale', 'loras'])
    assert.deepEqual(fieldsOf('z-image', 0), ['loras'])
    assert.deepEqual(fieldsOf('flux-dev', 3.5), ['prompt_2', 'loras'])
    assert.deepEqual(fieldsOf('sd3', 4.5), ['negative_prompt', 'prompt_2', 'guidance_rescale', 'loras'])
  })

  test('a plain request contains the prompt, the size and the sampling, and nothing without effect', () => {
    assert.deepEqual(plain, {
      checkpoint: 'sdxl',
      prompt: 'a tiger',
      width: 1024,
      height: 1024,
      steps: 30,
      cfg_scale: 12,
      sampler: 'DDIM',
      image_encoding: 'png',
    })
  })

  for (const [name, requested, expected] of [
    ['several', [{ count: 4 }], { num_images: 4 }],
    ['a seed', [{ seed: '0' }], { seed: 0 }],
    ['a seed that the model does not support', [{ seed: '5' }, { of: { ...model, bounds: { ...open, takesSeeds: false } } }], {}],
    ['a style', [{ style: 'anime' }], { style_preset: 'anime' }],
    ['a negative prompt', [{ negativePrompt: ' blur ' }], { negative_prompt: 'blur' }],
    [
      'a negative prompt without guidance',
      [{ negativePrompt: 'blur', negativePrompt2: 'x', guidanceRescale: 0.5, guidanceScale: 1 }],
      { cfg_scale: 1 },
    ],
    ['second prompts', [{ prompt2: 'ink', negativePrompt2: 'red' }], { prompt_2: 'ink', negative_prompt_2: 'red' }],
    [
      'second prompts that the model does not support',
      [{ prompt2: 'ink', negativePrompt2: 'red' }, { of: { ...model, family: 'sd15' } }],
      {},
    ],
    ['less contrast', [{ guidanceRescale: 0.5 }], { guidance_rescale: 0.5 }],
    ['clip skip', [{ clipSkip: 2 }], { clip_skip: 2 }],
    ['clip skip for a model without it', [{ clipSkip: 2 }, { of: { ...model, bounds: { ...open, clipSkip: 0 } } }], {}],
    ['a starting image', [{ feather: 9, fullResolution: true }, { start }], { init_image: 'AAAA', strength: 0.8 }],
    [
      'a mask',
      [{ feather: 9, fullResolution: true }, { start: masked }],
      { init_image: 'AAAA', strength: 0.8, mask_image: 'BBBB', mask_blur: 9, inpaint_full_res: true, inpaint_full_res_padding: 32 },
    ],
    [
      'outpainting',
      [{}, { start: { ...masked, extended: true } }],
      { init_image: 'AAAA', strength: 0.8, mask_image: 'BBBB', outpainting: true },
    ],
    [
      'a starting image for a model that does not support it',
      [{}, { start: masked, of: { ...model, bounds: { ...open, startsFromImage: false } } }],
      {},
    ],
    ['reference images for a model that supports them', [{}, { of: { ...model, family: 'flux2-klein' } }], { reference_images: ['CCCC'] }],
    ['a refiner', [{}, { of: { ...model, refines: true } }], { use_refiner: true, high_noise_frac: 0.8 }],
    ['no refiner for a model that has one', [{ refine: false }, { of: { ...model, refines: true } }], { use_refiner: false }],
    ['two passes', [{ twice: true }, { of: { ...model, drawsTwice: true } }], { enable_hr: true, hr_scale: 2, denoising_strength: 0.7 }],
    [
      'two passes with all their settings',
      [{ twice: true, upscaler: 'fast', secondSteps: 9 }, { of: { ...model, drawsTwice: true } }],
      { enable_hr: true, hr_scale: 2, denoising_strength: 0.7, hr_upscaler: 'fast', hr_second_pass_steps: 9 },
    ],
    [
      'two passes with a missing upscaler',
      [{ twice: true, upscaler: 'slow' }, { of: { ...model, drawsTwice: true } }],
      { enable_hr: true, hr_scale: 2, denoising_strength: 0.7 },
    ],
    [
      'two passes from a starting image',
      [{ twice: true }, { start, of: { ...model, drawsTwice: true } }],
      { init_image: 'AAAA', strength: 0.8 },
    ],
    ['two passes for a model that supports only one', [{ twice: true }], {}],
    [
      'LoRAs that fit',
      [
        {
          loras: [
            { name: 'ink', weight: -1 },
            { name: 'old', weight: 1 },
            { name: 'gone', weight: 1 },
          ],
        },
      ],
      { loras: { ink: -1 } },
    ],
    [
      'trigger words of inversions',
      [
        {
          inversions: [
            { name: 'grin', word: ' :) ' },
            { name: 'grin', word: ' ' },
          ],
        },
      ],
      { textual_inversions: { grin: ':)' } },
    ],
    ['a VAE', [{ vae: 'fine' }], { vae: 'fine' }],
    [
      'assets for a model that supports none',
      [{ vae: 'fine', loras: [{ name: 'ink', weight: 1 }] }, { of: { ...model, takesAssets: false } }],
      {},
    ],
    ['permission to store the parameters in the image', [{ logPrompt: true }], { log_prompt: true }],
  ] as readonly (readonly [string, Parameters<typeof body>, object])[])
    test(`${name} adds its fields`, () => {
      assert.deepEqual(added(...requested), expected)
      assert.deepEqual(findImageBodyFaults(body(...requested)), [])
    })

  test('ControlNets are sent once they have an image, and remain unchanged in the form', () => {
    addControlnet('edges')
    addControlnet('gone')
    assert.equal(areControlnetsReady(), false)
    const [edges, gone] = controlnets.value
    assert.deepEqual(added({}, { nets: controlnets.value }), {})
    for (const { key } of controlnets.value) changeControlnet(key, { url: 'data:image/png;base64,CCCC', until: 0.5 })
    assert.equal(areControlnetsReady(), true)
    const expected = { controlnets: [{ name: 'edges', image: 'CCCC', conditioning_scale: 1, early_stop: 0.5, preprocess: true }] }
    assert.deepEqual(added({}, { nets: controlnets.value }), expected)
    assert.deepEqual(findImageBodyFaults(body({}, { nets: controlnets.value })), [])
    changeControlnet(edges?.key ?? 0, { until: 1.5 })
    assert.equal(areControlnetsReady(), false)
    removeControlnet(edges?.key ?? 0)
    assert.deepEqual(
      controlnets.value.map(({ key }) => key),
      [gone?.key],
    )
  })

  test('the service accepts every value that the fields accept', () => {
    for (const [name, { min, max, step }] of Object.entries(imageRanges))
      for (const value of [min, max, Math.min(max, min + step)]) {
        const changed = { ...settings, seed: '7', [name]: value }
        if (!areNumbersRight(changed)) continue
        const of = { ...model, refines: true, drawsTwice: name !== 'strength' }
        for (const from of [null, masked]) {
          const sent = body({ ...changed, twice: true, fullResolution: true }, { start: from, of })
          assert.deepEqual(findImageBodyFaults(sent), [], `${name} ${value}`)
        }
      }
    for (const sampler of samplers) assert.deepEqual(findImageBodyFaults(body({ sampler })), [])
  })

  test('a number that a field rejects blocks drawing', () => {
    assert.equal(areNumbersRight(settings), true)
    for (const [name, { min, max }] of Object.entries(imageRanges))
      for (const value of [min - 1, max + 1, Number.NaN, Number.POSITIVE_INFINITY])
        assert.equal(areNumbersRight({ ...settings, [name]: value }), false, `${name} ${value}`)
    assert.equal(areNumbersRight({ ...settings, steps: 1.5 }), false)
    assert.equal(areNumbersRight({ ...settings, seed: '-1' }), false)
    assert.equal(areNumbersRight({ ...settings, loras: [{ name: 'ink', weight: 11 }] }), false)
    assert.ok(isWithin(0.05, { min: 0, max: 1, step: 0.05 }) && !isWithin(1.01, { min: 0, max: 1, step: 0.05 }))
  })

  test('a LoRA for several families is listed for each of them, and one with a textual inversion for no transformer', () => {
    const flux = { ...asset('lora', 'flux', null), families: ['flux-dev', 'flux-schnell'] } as const
    const word = { ...asset('lora', 'word', null), embeds: true } as const
    const listed = (family: ConsoleImageModel['family']) =>
      abilitiesOf({ ...model, family }, [flux, word, asset('lora', 'any', null)], []).assets.map(({ name }) => name)
    assert.deepEqual(listed('flux-dev'), ['flux', 'any'])
    assert.deepEqual(listed('z-image'), ['any'])
    assert.deepEqual(listed('sdxl'), ['word', 'any'])
    const wide = abilitiesOf(
      { ...model, family: 'flux-dev', bounds: { ...open, width: 8 } },
      [
        { ...flux, width: 9 },
        { ...flux, width: 8 },
      ],
      [],
    )
    assert.deepEqual(
      wide.assets.map(({ width }) => width),
      [8],
    )
  })

  test('a model supports what its files state, and everything if they state nothing', () => {
    const all = abilitiesOf(model, assets, ['fast'])
    assert.deepEqual(
      [all.startsFromImage, all.takesSeeds, all.clipSkip, all.lcmSteps, all.samplers.length],
      [true, true, 12, 200, samplers.length],
    )
    assert.deepEqual(
      all.assets.map(({ name }) => name),
      ['ink', 'fine', 'grin', 'edges'],
    )
    const bounds = { ...open, startsFromImage: false, takesSeeds: false, clipSkip: 20, lcmSteps: 8, refusedSamplers: { LCM: 'no' } }
    const bound = abilitiesOf({ ...model, bounds, takesAssets: false }, assets, ['fast'])
    assert.deepEqual([bound.startsFromImage, bound.takesSeeds, bound.clipSkip, bound.lcmSteps], [false, false, 12, 8])
    assert.deepEqual([bound.samplers.includes('LCM'), bound.assets, bound.upscalers], [false, [], []])
    const blind = abilitiesOf({ ...model, family: 'flux2-klein', bounds }, assets, ['fast'])
    assert.deepEqual([blind.takesReferences, blind.upscalers], [false, []])
  })
})
