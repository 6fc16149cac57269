import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makeImageRequest } from '../../../../test/support/image-request.ts'
import type { CheckpointFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { stylePresetNames } from '../../../core/images/style-preset.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { samplers } from '../../../core/sampler.ts'
import { describeFakeImage } from '../../../runtimes/fake/fake-catalog.ts'
import type { ImageHints } from './image-faults.ts'
import { readPrompts } from './image-loras.ts'
import { type ImageParsing, parseImageRequest } from './image-request.ts'

const model = describeFakeImage({
  id: 'drawer',
  native: { width: 1024, height: 1024 },
  sizes: {
    type: 'list',
    sizes: [
      { width: 1024, height: 1024 },
      { width: 896, height: 1152 },
    ],
  },
  defaults: { steps: 30, guidanceScale: 12, sampler: 'DDIM' },
})
const noHints: ImageHints = { encoding: null, lonely: false, previews: false }
const picture = Buffer.from('picture').toString('base64')

function depsFor(descriptor: ImageModelDescriptor): ImageParsing {
  const catalog: ModelCatalog = {
    listAssets: () => [],
    findAsset: (kind, name) =>
      ['any', 'own', 'xl'].includes(name)
        ? { kind, name, file: `/${name}`, family: name === 'xl' ? 'sdxl' : name === 'own' ? 'sd15' : null, bytes: 1, created: 1 }
        : undefined,
    findUnusable: (name) => (name === 'broken' ? { name, file: '/broken', reason: 'is a pickle' } : undefined),
    list: () => [descriptor],
    find: (id) => (id === descriptor.id ? descriptor : undefined),
    defaultImageModel: () => descriptor,
  }
  return {
    catalog,
    async inspectImage(bytes) {
      if (Buffer.from(bytes).toString() === 'rubbish') throw new ServiceError('validation_error', 'The bytes are no image.')
      return { format: 'png', width: 8, height: 8 }
    },
  }
}

async function accept(
  fields: object,
  {
    descriptor = model,
    hints = noHints,
    families = ['sdxl'],
  }: { descriptor?: ImageModelDescriptor; hints?: ImageHints; families?: readonly CheckpointFamily[] } = {},
): Promise<ImageRequest> {
  const parsed = await parseImageRequest(
    depsFor(descriptor),
    { body: { prompt: 'a tiger', ...fields }, hints, families },
    { signal: new AbortController().signal },
  )
  return parsed.request
}

async function refuse(fields: object, param: string, code = 'validation_error', options = {}): Promise<void> {
  await assert.rejects(accept(fields, options), (error: unknown) => {
    assert.ok(error instanceof ServiceError)
    assert.deepEqual([error.code, error.param], [code, param], `${JSON.stringify(fields)}: ${error.message}`)
    assert.ok(error.faults.length > 0)
    return true
  })
}

suite('image requests', () => {
  test('defaults come from the model, and missing seeds are random', async () => {
    const request = await accept({})
    const { seeds } = request
    assert.ok(seeds.length === 1 && seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32))
    const defaults = { width: 1024, height: 1024, steps: 30, guidanceScale: 12, sampler: 'DDIM', encoding: 'jpeg' } as const
    assert.deepEqual(request, makeImageRequest('a tiger', { model: 'drawer', seeds, ...defaults }))
  })

  const prompt = { good: ['', 'x'.repeat(10_000), '🐯'.repeat(10_000), null], bad: ['x'.repeat(10_001), 5, ['x']] }
  const ranges: Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>> = {
    prompt: { good: ['x', 'x'.repeat(10_000)], bad: ['', 'x'.repeat(10_001), null, 5] },
    prompt_2: prompt,
    negative_prompt: prompt,
    negative_prompt_2: prompt,
    width: { good: [1024, null], bad: [1000, 512, '1024', 1024.5, 0, -8] },
    height: { good: [1024, null], bad: [1152, '1024', 0] },
    steps: { good: [1, 200, null], bad: [0, 201, 1.5, '20', true] },
    cfg_scale: { good: [0, 0.001, 1, 50, null], bad: [-1, 50.01, '7'] },
    num_images: { good: [1, 16, null], bad: [0, 17, 1.5, '2'] },
    seed: { good: [0, 2 ** 32 - 1, [7], null], bad: [-1, 2 ** 32, 1.5, '1', [], [1, 2], [-1], [2 ** 32], ['1']] },
    sampler: { good: [...samplers, null], bad: ['ddim', 'EULER', '', 5] },
    image_encoding: { good: ['jpeg', 'png', 'webp', null], bad: ['jpg', 'gif', 'PNG'] },
    init_image: {
      good: [picture, `data:image/png;base64,${picture}`, `${picture.slice(0, 4)}\r\n${picture.slice(4)}\n`, null],
      bad: [
        '',
        'not base64!',
        picture.slice(0, 5),
        `data:text/plain;base64,${Buffer.from('rubbish').toString('base64')}`,
        'https://example.com/a.png',
        Buffer.from('rubbish').toString('base64'),
        5,
      ],
    },
    strength: { good: [0.8, null], bad: [0, -0.1, 1.01, '0.5', 0.5] },
    mask_image: { good: [null], bad: [picture] },
    inpaint_full_res: { good: [false, null], bad: [true, 'false', 0] },
    inpaint_full_res_padding: { good: [32, null], bad: [-1, 1025, 1.5, 16] },
    mask_blur: { good: [0, null], bad: [-1, 65, 1.5, '4', 4] },
    outpainting: { good: [false, null], bad: [true, 'false'] },
    guidance_rescale: { good: [0, 0.7, 1, null], bad: [-0.1, 1.1, '0'] },
    loras: { good: [{}, null], bad: ['ink', [], { ink: '1' }, { ink: 11 }, { ink: -10.5 }] },
    style_preset: { good: [...stylePresetNames, null], bad: ['nothing', '', 5] },
    clip_skip: { good: [1, 12, null], bad: [0, 13, 1.5] },
    use_refiner: { good: [false, null], bad: ['false', 1] },
    high_noise_frac: { good: [0.8, null], bad: [-0.01, 1.01, '0.8'] },
    log_prompt: { good: [true, false, null], bad: ['true', 1] },
    hr_scale: { good: [2, null], bad: [1, 0, 4.1, '2', 3] },
    denoising_strength: { good: [0.7, null], bad: [0, 1.1, '0.5', 0.5] },
  }
  for (const [field, { good, bad }] of Object.entries(ranges)) {
    test(`${field} must be within its range`, async () => {
      for (const value of good) await accept({ [field]: value })
      for (const value of bad) {
        await assert.rejects(accept({ [field]: value }), (error: unknown) => {
          assert.ok(error instanceof ServiceError)
          assert.equal(error.code, 'validation_error', `${field}: ${JSON.stringify(value)}`)
          return error.faults.every(({ path }) => path[0] === field || (field === 'height' && path[0] === 'width'))
        })
      }
    })
  }

  for (const [field, ...nothing] of [['transfer_images', {}]] as const) {
    test(`${field} is rejected by name unless it has no effect`, async () => {
      for (const value of [null, ...nothing]) await accept({ [field]: value })
      for (const value of ['name', '', { name: 1 }, 0, 0.5, true, []]) await refuse({ [field]: value }, field, 'unsupported')
      for (const value of [{}, false])
        if (JSON.stringify(nothing) !== JSON.stringify([value])) await refuse({ [field]: value }, field, 'unsupported')
    })
  }

  for (const [field, value] of [
    ['vae', 'some-vae'],
    ['textual_inversions', { style: 'zqx' }],
    ['controlnet', 'some-controlnet'],
  ] as const) {
    test(`${field} is refused by name for exported models`, async () => {
      await accept({ [field]: null })
      await refuse({ [field]: value }, field, 'unsupported')
    })
  }

  test('assets must be installed and fit the family of the model, and a ControlNet needs a picture', async () => {
    const checkpoint = { ...model, checkpoint: { family: 'sd15', inpainting: false, weights: '/x', prediction: null } as const }
    const options = { descriptor: { ...checkpoint, format: 'safetensors' as const }, families: ['sd15'] as const }
    const taken = await accept(
      { loras: { own: 1 }, vae: 'any', textual_inversions: { any: 'zqx' }, controlnet: 'any', controlnet_image: picture },
      options,
    )
    assert.deepEqual([taken.vae, taken.textualInversions, taken.controlnets?.length], ['any', [{ name: 'any', trigger: 'zqx' }], 1])
    await refuse({ loras: { absent: 1 } }, 'loras', 'unsupported', options)
    await refuse({ loras: { xl: 1 } }, 'loras', 'unsupported', options)
    await refuse({ vae: 'broken' }, 'vae', 'unsupported', options)
    await refuse({ controlnet: 'any' }, 'controlnet_image', 'validation_error', options)
    for (const alone of [{ controlnet_early_stop: 0.5 }, { controlnet_preprocess: false }])
      await refuse(alone, Object.keys(alone).join(), 'validation_error', options)
    const five = Array.from({ length: 5 }, () => ({ name: 'any', image: picture }))
    await refuse({ controlnets: five }, 'controlnets', 'validation_error', options)
  })

  test('checkpoint must be an installed image model', async () => {
    assert.equal((await accept({ checkpoint: 'drawer' })).model, 'drawer')
    await refuse({ checkpoint: 'other' }, 'checkpoint', 'unsupported')
  })

  test('an unknown field is a fault, and all faults are reported at once', async () => {
    await refuse({ foo: 1 }, 'foo')
    assert.deepEqual(Object(await accept({ foo: null })).foo, undefined)
    await assert.rejects(accept({ steps: 0, cfg_scale: -1, foo: 1 }), (error: unknown) => {
      assert.ok(error instanceof ServiceError)
      assert.deepEqual(
        error.faults.map(({ path, kind }) => [path[0], kind]),
        [
          ['steps', 'range'],
          ['cfg_scale', 'range'],
          ['foo', 'unknown'],
        ],
      )
      return true
    })
  })

  test('a size must be a pair that the model allows', async () => {
    assert.equal((await accept({ width: 896, height: 1152 })).width, 896)
    await refuse({ width: 1152, height: 896 }, 'width')
    await refuse({ width: 896 }, 'width')
    const ranged = { descriptor: { ...model, native: { width: 256, height: 256 }, sizes: { type: 'range' as const, min: 64, max: 2048 } } }
    for (const [width, height] of [
      [64, 64],
      [2048, 2048],
      [72, 1000],
    ])
      assert.equal((await accept({ width, height }, ranged)).height, height)
    for (const [width, height] of [
      [56, 64],
      [2056, 64],
      [65, 64],
      [64, 2056],
    ])
      await refuse({ width, height }, 'width', 'validation_error', ranged)
  })

  test('a single seed increases by one for each image; a list has one seed per image', async () => {
    assert.deepEqual((await accept({ seed: 5, num_images: 3 })).seeds, [5, 6, 7])
    assert.deepEqual((await accept({ seed: [9, 1, 9], num_images: 3 })).seeds, [9, 1, 9])
    assert.equal((await accept({ num_images: 16 })).seeds.length, 16)
    await refuse({ seed: 2 ** 32 - 1, num_images: 2 }, 'seed')
    await refuse({ seed: [1, 2], num_images: 3 }, 'seed')
  })

  test('image-to-image needs a strength that leaves at least one step', async () => {
    const { initial } = await accept({ init_image: picture, strength: 0.5, steps: 2 })
    assert.deepEqual(initial, { image: Buffer.from('picture'), strength: 0.5 })
    await refuse({ init_image: picture, strength: 0.49, steps: 2 }, 'strength')
    await refuse({ init_image: picture, steps: 1 }, 'strength')
    assert.equal((await accept({ steps: 1 })).steps, 1)
  })

  test('for any number of steps, the strength that an error suggests is accepted', async () => {
    for (let steps = 1; steps <= 200; steps += 1) {
      const fields = { init_image: picture, steps }
      const refusal: unknown = await accept({ ...fields, strength: 0.9 / steps }).catch((error: unknown) => error)
      assert.ok(refusal instanceof ServiceError)
      const advised = Number(/must be (?:at least )?([\d.]+) with/.exec(refusal.message)?.[1])
      for (const strength of [advised, 1 / steps]) {
        const { initial } = await accept({ ...fields, strength })
        assert.ok(initial !== null && initial.strength <= 1 && initial.strength * steps >= 1, `${strength} of ${steps} steps`)
      }
    }
  })

  test('a mask needs an image, and mask options need a mask', async () => {
    const { mask } = await accept({
      init_image: picture,
      mask_image: picture,
      inpaint_full_res: true,
      inpaint_full_res_padding: 16,
      mask_blur: 8,
      outpainting: true,
    })
    assert.deepEqual(mask, { image: Buffer.from('picture'), fullResolution: true, padding: 16, outpainting: true, blur: 8 })
    await refuse({ mask_image: picture }, 'mask_image')
    await refuse({ init_image: picture, mask_image: Buffer.from('rubbish').toString('base64') }, 'mask_image')
    await refuse({ init_image: picture, outpainting: true }, 'outpainting')
    const masked = { init_image: picture, mask_image: picture }
    await refuse({ ...masked, inpaint_full_res_padding: 16 }, 'inpaint_full_res_padding')
    await refuse({ ...masked, inpaint_full_res: false, inpaint_full_res_padding: 16 }, 'inpaint_full_res_padding')
    assert.equal((await accept({ ...masked, inpaint_full_res_padding: 32 })).mask?.padding, 32)
  })

  test('requests that the model does not support are rejected before it runs', async () => {
    const bounds = { clipSkip: 2, lcmSteps: 50, refusedSamplers: { PNDM: 'something' }, startsFromImage: false, takesSeeds: false }
    const bounded = { descriptor: { ...model, bounds } }
    assert.equal((await accept({ clip_skip: 2 }, bounded)).clipSkip, 2)
    await refuse({ clip_skip: 3 }, 'clip_skip', 'validation_error', bounded)
    assert.equal((await accept({ sampler: 'LCM', steps: 50 }, bounded)).steps, 50)
    await refuse({ sampler: 'LCM', steps: 51 }, 'steps', 'validation_error', bounded)
    await refuse({ sampler: 'PNDM' }, 'sampler', 'unsupported', bounded)
    await refuse({ init_image: picture }, 'init_image', 'unsupported', bounded)
    await refuse({ seed: 1 }, 'seed', 'unsupported', bounded)
    assert.equal((await accept({ num_images: 2 }, bounded)).seeds.length, 2)
    const unknown = {
      descriptor: { ...model, bounds: { ...bounds, clipSkip: null, lcmSteps: null, startsFromImage: true, takesSeeds: true } },
    }
    await accept({ clip_skip: 12, sampler: 'LCM', steps: 60, init_image: picture }, unknown)
  })

  test('prompt weights that no engine can use are refused, however they are written', async () => {
    assert.equal((await accept({ prompt: '((tiger:1.5)) [tree] (sky:0)' })).prompt, '((tiger:1.5)) [tree] (sky:0)')
    for (const heavy of [
      `${'('.repeat(4999)}x${')'.repeat(4999)}`,
      `${'('.repeat(49)}x`,
      '(x:101)',
      '((x:99))',
      '(x:-0.1)',
      'x BREAK '.repeat(33),
    ])
      for (const field of ['prompt', 'prompt_2', 'negative_prompt', 'negative_prompt_2']) await refuse({ [field]: heavy }, field)
    await accept({ prompt: `${'['.repeat(4999)}x`, prompt_2: '('.repeat(5000), negative_prompt: '\\('.repeat(3000) })
  })

  test('LoRAs come from their field and from tags, which are removed from the prompt', async () => {
    // No format supports LoRAs yet, so a resolved request is made for one that would.
    const { tagged: _, ...read } = readPrompts({ prompt: 'a fox <lora:ink:0.8>', prompt_2: 'flat<lora:paper>', loras: { clay: -1 } })
    assert.deepEqual(read, {
      prompt: 'a fox',
      prompt2: 'flat',
      loras: [
        { name: 'clay', weight: -1 },
        { name: 'ink', weight: 0.8 },
        { name: 'paper', weight: 1 },
      ],
    })
    assert.equal(readPrompts({ prompt: 'a fox', prompt_2: '' }).prompt2, 'a fox')
  })

  test('a LoRA that the model cannot apply is refused by name, and so are malformed and excessive tags', async () => {
    await refuse({ prompt: 'fox <lora:ink:0.8>' }, 'prompt', 'unsupported')
    await refuse({ prompt_2: 'fox <lora:ink>' }, 'prompt_2', 'unsupported')
    await refuse({ loras: { ink: 0.8 } }, 'loras', 'unsupported')
    await refuse({ prompt: 'fox <lora:ink:much>' }, 'prompt')
    await refuse({ prompt: 'fox <lora:ink:11>' }, 'prompt')
    await refuse({ prompt: '<lora:ink><lora:ink>' }, 'prompt')
    await refuse({ negative_prompt: '<lora:ink>' }, 'negative_prompt')
    await refuse({ loras: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`l${i}`, 1])) }, 'loras')
    await refuse({ prompt: Array.from({ length: 9 }, (_, i) => `<lora:l${i}>`).join('') }, 'prompt', 'unsupported')
  })

  test('fields without effect at a guidance of 1 are rejected', async () => {
    for (const field of ['negative_prompt', 'negative_prompt_2']) {
      await refuse({ [field]: 'dog', cfg_scale: 1 }, field)
      await refuse({ [field]: 'dog', cfg_scale: 0.5 }, field)
      await accept({ [field]: '', cfg_scale: 1 })
      await accept({ [field]: 'dog', cfg_scale: 1.01 })
    }
    await refuse({ guidance_rescale: 0.5, cfg_scale: 1 }, 'guidance_rescale')
    const turbo = { descriptor: { ...model, defaults: { ...model.defaults, guidanceScale: 1 } } }
    await refuse({ negative_prompt: 'dog' }, 'negative_prompt', 'validation_error', turbo)
  })

  test('a negative prompt applies to both encoders unless the second has its own', async () => {
    assert.deepEqual((await accept({ negative_prompt: 'dog' })).negative, { prompt: 'dog', prompt2: 'dog' })
    assert.deepEqual((await accept({ negative_prompt: 'dog', negative_prompt_2: 'cat' })).negative, { prompt: 'dog', prompt2: 'cat' })
    assert.deepEqual((await accept({ negative_prompt_2: 'cat' })).negative, { prompt: '', prompt2: 'cat' })
    assert.deepEqual((await accept({ negative_prompt: '' })).negative, { prompt: '', prompt2: '' })
  })

  test('Accept: image/* allows one picture only', async () => {
    const anyImage = { hints: { encoding: null, lonely: true, previews: false } }
    assert.equal((await accept({ num_images: 1 }, anyImage)).seeds.length, 1)
    await refuse({ num_images: 2 }, 'num_images', 'validation_error', anyImage)
  })

  test('a style preset is found in any of its spellings', async () => {
    for (const style_preset of ['craft-clay', 'Craft Clay', 'CRAFT CLAY'])
      assert.equal((await accept({ style_preset })).stylePreset, 'craft-clay')
  })

  test('a refiner is used if the model has one and refused otherwise', async () => {
    const refined = { descriptor: { ...model, refiner: '/models/refiner' } }
    assert.equal((await accept({}, refined)).refinerStart, 0.8)
    assert.equal((await accept({ high_noise_frac: 0.5 }, refined)).refinerStart, 0.5)
    assert.equal((await accept({ use_refiner: false }, refined)).refinerStart, null)
    await refuse({ use_refiner: false, high_noise_frac: 0.5 }, 'high_noise_frac', 'validation_error', refined)
    assert.equal((await accept({ use_refiner: false, high_noise_frac: 0.8 }, refined)).refinerStart, null)
    await refuse({ use_refiner: true }, 'use_refiner', 'unsupported')
    await refuse({ high_noise_frac: 0.5 }, 'high_noise_frac', 'unsupported')
  })

  test('an Accept header sets the encoding, and a body that contradicts it is refused', async () => {
    const png = { hints: { encoding: 'png' as const, lonely: true, previews: false } }
    assert.equal((await accept({}, png)).encoding, 'png')
    assert.equal((await accept({ image_encoding: 'png' }, png)).encoding, 'png')
    await refuse({ image_encoding: 'jpeg' }, 'image_encoding', 'validation_error', png)
  })
})
