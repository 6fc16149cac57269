import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { ImageAbilities } from '../form/image-abilities.ts'
import type { ImageRequestParts } from '../form/image-request-body.ts'

const page = openBrowserPage('/console/images')
const { cancelRun, draw, imageRuns, restoreRun } = await import('./image-runs.ts')
const { chooseImageModel, imageSettings } = await import('../form/image-settings.ts')
const { imageRequestBody } = await import('../form/image-request-body.ts')
const { imageSamples } = await import('../image-samples.ts')

const body = { checkpoint: 'm', prompt: 'a tiger', width: 64, height: 64, steps: 4, cfg_scale: 5, sampler: 'DDIM' } as const

const stream = (...events: readonly object[]) =>
  new Response(events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join(''))
const inference = (fields: object) =>
  Response.json({ inference: { id: 'r1', status: 'completed', outcome: 'succeeded', error: null, ...fields } })
const output = Response.json({
  images: [
    { seed: 3, removedForSafety: false },
    { seed: 4, removedForSafety: true },
  ],
  computeMs: 12,
})

/** Answers requests to each address in turn; the last answer is repeated. */
function answers(table: Readonly<Record<string, readonly (() => Response | Promise<Response>)[]>>): void {
  const used = new Map<string, number>()
  page.answerWith(async (address, init) => {
    const name = `${init.method ?? 'GET'} ${address}`
    const list = table[name] ?? []
    const turn = used.get(name) ?? 0
    used.set(name, turn + 1)
    return (list[Math.min(turn, list.length - 1)] ?? (() => new Response(null, { status: 404 })))()
  })
}

const submit = 'POST /generate/sdxl'
const events = 'GET /v1/requests/r1/events'
const found = 'GET /console/api/requests/r1'
const images = 'GET /console/api/outputs/r1/images'
const accepted = () => Response.json({ response_id: 'r1' }, { status: 202 })

beforeEach(() => {
  page.requested.length = 0
  imageRuns.value = []
})

describe('a run on the image page', () => {
  it('shows no steps when it is queued again after its server was lost', async () => {
    answers({
      [submit]: [accepted],
      [events]: [
        () => stream({ status: 'running' }, { step: 3, total: 4 }, { status: 'pending', queue_position: 1 }),
        () => stream({ status: 'completed', outcome: 'succeeded' }),
      ],
      [found]: [() => inference({ status: 'pending', outcome: null }), () => inference({})],
      [images]: [() => output.clone()],
    })
    const seen: string[] = []
    const end = imageRuns.subscribe(([run]) => void (run && seen.push(`${run.state} ${run.progress?.step ?? '-'}`)))
    await draw(body)
    end()
    assert.deepEqual([...new Set(seen)], ['sending -', 'waiting -', 'drawing -', 'drawing 3', 'done -'])
  })

  it('goes from submission through its steps to its images', async () => {
    answers({
      [submit]: [accepted],
      [events]: [
        () =>
          stream(
            { status: 'pending', queue_position: 2 },
            { status: 'running' },
            { step: 1, total: 4 },
            { image_b64: '/9j/' },
            { status: 'completed', outcome: 'succeeded' },
          ),
      ],
      [found]: [() => inference({})],
      [images]: [() => output.clone()],
    })
    const seen: string[] = []
    const end = imageRuns.subscribe(
      ([run]) => void (run && seen.push(`${run.state} ${run.queuePosition ?? '-'} ${run.progress?.step ?? '-'}`)),
    )
    await draw(body)
    end()
    const [run] = imageRuns.value
    assert.deepEqual([...new Set(seen)], ['sending - -', 'waiting - -', 'waiting 2 -', 'drawing - -', 'drawing - 1', 'done - 1'])
    assert.deepEqual(
      run?.images.map(({ address, seed, removedForSafety }) => [address, seed, removedForSafety]),
      [
        ['/console/api/outputs/r1/images/0', 3, false],
        ['/console/api/outputs/r1/images/1', 4, true],
      ],
    )
    assert.deepEqual([run?.computeMs, run?.preview, run?.failure], [12, null, null])
  })

  it('reconnects to a stream that breaks before the request ends', async () => {
    answers({
      [submit]: [accepted],
      [events]: [() => stream({ status: 'running' }), () => stream({ status: 'completed' })],
      [found]: [() => inference({ status: 'running', outcome: null }), () => inference({})],
      [images]: [() => output.clone()],
    })
    await draw(body)
    assert.equal(imageRuns.value[0]?.state, 'done')
    assert.equal(page.requested.filter((requested) => requested === events).length >= 2, true)
  })

  it('is found completed after a time offline, and was submitted once', async () => {
    const broken = () => {
      throw new TypeError('fetch failed')
    }
    answers({
      [submit]: [accepted],
      [events]: [broken, () => stream({ status: 'running' }), () => stream({ status: 'completed' })],
      [found]: [broken, () => inference({})],
      [images]: [broken, () => output.clone()],
    })
    const pauses: number[] = []
    const lost: boolean[] = []
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds)
      lost.push(imageRuns.value[0]?.connectionLost ?? false)
    }
    await draw(body, { pause })
    assert.deepEqual([imageRuns.value[0]?.state, imageRuns.value[0]?.connectionLost], ['done', false])
    assert.deepEqual([pauses.length, lost.every(Boolean)], [3, true])
    assert.equal(page.requested.filter((requested) => requested === submit).length, 1)
  })

  for (const [what, table, state, failure] of [
    [
      'the service rejects it',
      { [submit]: [() => Response.json({ error: { code: 'validation_error', message: 'Use fewer steps.' } }, { status: 422 })] },
      'failed',
      'Use fewer steps.',
    ],
    [
      'it fails',
      {
        [submit]: [accepted],
        [events]: [() => stream()],
        [found]: [() => inference({ outcome: 'failed', error: { message: 'It broke.' } })],
      },
      'failed',
      'It broke.',
    ],
    [
      'it is cancelled',
      { [submit]: [accepted], [events]: [() => stream()], [found]: [() => inference({ outcome: 'cancelled' })] },
      'cancelled',
      null,
    ],
    ['its record is missing', { [submit]: [accepted], [events]: [() => stream()] }, 'failed', /404/],
  ] as const)
    it(`ends as ${state} when ${what}`, async () => {
      answers(table)
      await draw(body)
      const [run] = imageRuns.value
      assert.equal(run?.state, state)
      if (failure instanceof RegExp) assert.match(run?.failure ?? '', failure)
      else assert.equal(run?.failure, failure)
    })

  it('is listed before existing runs, and each changes independently', async () => {
    answers({ [submit]: [() => new Response(null, { status: 500 })] })
    await draw(body)
    await draw({ ...body, prompt: 'a fox' })
    assert.deepEqual(
      imageRuns.value.map((run) => run.body.prompt),
      ['a fox', 'a tiger'],
    )
    assert.equal(new Set(imageRuns.value.map(({ key }) => key)).size, 2)
  })

  it('is cancelled at the service once the service has accepted it', async () => {
    answers({
      [submit]: [() => new Response(null, { status: 500 })],
      'DELETE /v1/requests/r1': [() => new Response(null, { status: 204 })],
    })
    await draw(body)
    const [run] = imageRuns.value
    assert.ok(run)
    page.requested.length = 0
    await cancelRun(run)
    assert.deepEqual(page.requested, [])
    await cancelRun({ ...run, id: 'r1' })
    assert.deepEqual(page.requested, ['DELETE /v1/requests/r1'])
  })
})

describe('restored runs', () => {
  const earlier = (id: string, createdAt = 1000) => ({ id, createdAt, status: 'completed', outcome: 'succeeded', error: null }) as const

  it('are all shown, including those submitted in the same millisecond', async () => {
    answers({ 'GET /console/api/outputs/r1/images': [() => output.clone()], 'GET /console/api/outputs/r2/images': [() => output.clone()] })
    await Promise.all(['r1', 'r2'].map((id) => restoreRun({ inference: earlier(id), body })))
    const shown = imageRuns.value.map(({ id, state, images }) => `${id} ${state} ${images[0]?.inferenceId}`)
    assert.deepEqual(shown.toSorted(), ['r1 done r1', 'r2 done r2'])
  })

  it("never change when a new one starts, even if the service's clock is ahead", async () => {
    answers({ [submit]: [() => new Response(null, { status: 500 })], [images]: [() => output.clone()] })
    const ahead = Date.now() + 60_000
    const now = Date.now
    try {
      await restoreRun({ inference: earlier('r1', ahead), body })
      Date.now = () => ahead
      await draw({ ...body, prompt: 'a fox' })
    } finally {
      Date.now = now
    }
    const shown = imageRuns.value.map((run) => `${run.body.prompt} ${run.state}`)
    assert.deepEqual(shown, ['a fox failed', 'a tiger done'])
  })

  it('are not shown twice if they were being submitted', async () => {
    answers({
      [submit]: [
        async () => {
          await restoreRun({ inference: earlier('r1'), body })
          return accepted()
        },
      ],
      [events]: [() => stream({ status: 'completed', outcome: 'succeeded' })],
      [images]: [() => output.clone()],
    })
    await draw(body)
    const shown = imageRuns.value.map(({ id, state }) => `${id} ${state}`)
    assert.deepEqual(shown, ['r1 done'])
  })
})

describe('a run that is cancelled during submission', () => {
  it('is cancelled as soon as the service has accepted it', async () => {
    answers({
      [submit]: [
        () => {
          const [run] = imageRuns.value
          if (run) void cancelRun(run)
          return accepted()
        },
      ],
      'DELETE /v1/requests/r1': [() => new Response(null, { status: 204 })],
      [events]: [() => new Response('')],
      [found]: [() => inference({ outcome: 'cancelled' })],
    })
    await draw(body)
    assert.ok(page.requested.includes('DELETE /v1/requests/r1'))
    assert.equal(imageRuns.value[0]?.state, 'cancelled')
  })
})

describe('the request of an image', () => {
  const settings = { ...imageSettings.value, model: 'm', prompt: ' a tiger ', width: 64, height: 64, steps: 4, guidanceScale: 5 }

  const lora = { kind: 'lora', name: 'ink', label: 'ink', family: 'sdxl' } as const
  const vae = { kind: 'vae', name: 'sharp', label: 'sharp', family: null } as const
  const net = { kind: 'controlnet', name: 'canny', label: 'canny', family: 'sdxl' } as const
  const abilities: ImageAbilities = {
    startsFromImage: true,
    repaintsOnly: false,
    takesReferences: false,
    takesSeeds: true,
    refines: false,
    drawsTwice: false,
    upscalers: ['sharp-4x'],
    secondPrompts: true,
    negativeOver: 1,
    rescalesGuidance: true,
    clipSkip: 2,
    samplers: ['DDIM'],
    lcmSteps: 200,
    assets: [lora, vae, net],
  }
  const parts: ImageRequestParts = { start: null, controlnets: [], references: [], abilities }
  const plain = { ...body, image_encoding: 'png' }

  it('contains the size, steps and sampler, and no field that was left empty', () => {
    assert.deepEqual(imageRequestBody(settings, parts), plain)
  })

  for (const [change, field] of [
    [{ negativePrompt: ' frame ' }, { negative_prompt: 'frame' }],
    [{ negativePrompt: '  ' }, {}],
    [
      { prompt2: 'ink', negativePrompt2: 'blur' },
      { prompt_2: 'ink', negative_prompt_2: 'blur' },
    ],
    [{ guidanceRescale: 0.5 }, { guidance_rescale: 0.5 }],
    [{ clipSkip: 2 }, { clip_skip: 2 }],
    [{ count: 3 }, { num_images: 3 }],
    [{ seed: '0' }, { seed: 0 }],
    [{ style: 'anime' }, { style_preset: 'anime' }],
    [{ encoding: 'webp' }, { image_encoding: 'webp' }],
    [{ strength: 0.2, feather: 4, fullResolution: true, refine: false }, {}],
    [
      {
        loras: [
          { name: 'ink', weight: 0.5 },
          { name: 'gone', weight: 1 },
        ],
      },
      { loras: { ink: 0.5 } },
    ],
    [{ inversions: [{ name: 'gone', word: 'x' }] }, {}],
    [{ vae: 'sharp' }, { vae: 'sharp' }],
    [{ vae: 'gone' }, {}],
    [{ logPrompt: true }, { log_prompt: true }],
  ] as const)
    it(`maps ${JSON.stringify(change)} to the fields of the interface`, () =>
      assert.deepEqual(imageRequestBody({ ...settings, ...change }, parts), { ...plain, ...field }))

  it('leaves out options without effect when there is no guidance', () => {
    const wanted = { ...settings, guidanceScale: 1, negativePrompt: 'frame', negativePrompt2: 'blur', guidanceRescale: 0.5 }
    assert.deepEqual(imageRequestBody(wanted, parts), { ...plain, cfg_scale: 1 })
  })

  it('leaves out options that the model does not support', () => {
    const unable = { ...abilities, startsFromImage: false, takesSeeds: false, secondPrompts: false, clipSkip: 0, assets: [] }
    const wanted = { ...settings, prompt2: 'ink', clipSkip: 2, seed: '1', vae: 'sharp', loras: [{ name: 'ink', weight: 1 }] }
    const start = { url: 'data:image/png;base64,AAAA', width: 8, height: 8, mask: null, extended: false }
    assert.deepEqual(imageRequestBody(wanted, { ...parts, start, abilities: unable }), plain)
  })

  it('sets where a refiner starts, or turns it off', () => {
    const refining = { ...parts, abilities: { ...abilities, refines: true } }
    assert.deepEqual(imageRequestBody(settings, refining), { ...plain, use_refiner: true, high_noise_frac: 0.8 })
    assert.deepEqual(imageRequestBody({ ...settings, refine: false }, refining), { ...plain, use_refiner: false })
  })

  it('requests a second pass if the model supports it, and not together with a starting image', () => {
    const twice = { ...parts, abilities: { ...abilities, drawsTwice: true } }
    const wanted = { ...settings, twice: true, upscaler: 'sharp-4x', secondSteps: 8 }
    const fields = { enable_hr: true, hr_scale: 2, denoising_strength: 0.7, hr_upscaler: 'sharp-4x', hr_second_pass_steps: 8 }
    assert.deepEqual(imageRequestBody(wanted, twice), { ...plain, ...fields })
    assert.deepEqual(imageRequestBody(wanted, parts), plain)
    const start = { url: 'data:image/png;base64,AAAA', width: 8, height: 8, mask: null, extended: false }
    assert.equal('enable_hr' in imageRequestBody(wanted, { ...twice, start }), false)
  })

  it('passes a ControlNet its image', () => {
    const chosen = { key: 1, name: 'canny', url: 'data:image/png;base64,CCCC', scale: 0.5, until: 0.8, preprocess: true }
    const { controlnets } = imageRequestBody(settings, { ...parts, controlnets: [chosen, { ...chosen, key: 2, url: null }] })
    assert.deepEqual(controlnets, [{ name: 'canny', image: 'CCCC', conditioning_scale: 0.5, early_stop: 0.8, preprocess: true }])
  })

  it('sends a starting image and a mask without the prefix of their data URLs', () => {
    const start = { url: 'data:image/png;base64,AAAA', width: 8, height: 8, mask: 'data:image/png;base64,BBBB', extended: true }
    const masked = imageRequestBody({ ...settings, feather: 4, fullResolution: true, padding: 16 }, { ...parts, start })
    assert.deepEqual(masked, {
      ...plain,
      init_image: 'AAAA',
      strength: 0.8,
      mask_image: 'BBBB',
      mask_blur: 4,
      inpaint_full_res: true,
      inpaint_full_res_padding: 16,
      outpainting: true,
    })
    const whole = imageRequestBody(settings, { ...parts, start: { ...start, mask: null } })
    assert.deepEqual(whole, { ...plain, init_image: 'AAAA', strength: 0.8 })
  })

  it('applies the defaults of a model', () => {
    chooseImageModel({
      id: 'other',
      native: { width: 512, height: 256 },
      defaults: { steps: 30, guidanceScale: 7, sampler: 'K_EULER' },
    } as Parameters<typeof chooseImageModel>[0])
    const { model, width, height, steps, guidanceScale, sampler } = imageSettings.value
    assert.deepEqual([model, width, height, steps, guidanceScale, sampler], ['other', 512, 256, 30, 7, 'K_EULER'])
  })

  it('as code, replaces image data with names, and quotes user text', () => {
    const code = imageSamples('https://x.example/generate/sdxl', {
      ...body,
      prompt: 'it\'s\n"so"',
      init_image: 'A'.repeat(1000),
      image_encoding: 'webp',
    })
    assert.deepEqual(
      code.map(({ language }) => language),
      ['curl', 'JavaScript', 'Python', '@octoai/client'],
    )
    for (const sample of code) assert.ok(!sample.code.includes('AAAA') && sample.code.includes('<base64>'), sample.language)
    assert.ok(code[0]?.code.includes(`it'\\''s\\n\\"so\\"`))
    assert.ok(code[2]?.code.includes('image.webp'))
  })
})
