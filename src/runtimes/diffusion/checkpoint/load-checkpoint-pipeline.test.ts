import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { after, test } from 'node:test'
import { residentBytes } from '../../../../test/support/memory/resident-bytes.ts'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { openReferencePipeline } from '../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../../../../test/support/parity/reference-case.ts'
import { isWithinLimits, replayCase } from '../../../../test/support/parity/replay-case.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { drawLatents } from '../draw-image.ts'
import { decodeLatents } from '../vae/latent-colours.ts'
import { gpuTarget } from './graph/find-graph-target.ts'

// One case of each kind of graph; test/parity replays all of them.
const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
const files = ['xl', 'sd15', 'sd21', 'cases'].flatMap((name) => [`${name}.safetensors`, `${name}.json`])
await unpackGoldenCheckpoints(folder, (path) => files.includes(path))
const { cases, unreadable } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

function findCase(name: string) {
  const found = cases.find((each) => each.name === name)
  assert.ok(found, name)
  return found
}

test('reads every reference case', () => {
  assert.deepEqual(unreadable, [])
  assert.equal(cases.length, 72)
})

for (const name of ['xl.safetensors K_EULER/6', 'sd15.safetensors DDIM/8', 'sd21.safetensors DDIM v-prediction'])
  test(`${name} produces the latents and pixels of diffusers`, async () => {
    const reference = findCase(name)
    await using opened = await openReferencePipeline(folder, reference, { threads: 1, signal })
    const deviation = await replayCase(opened, reference, { signal })
    assert.ok(isWithinLimits(deviation), `latents ${deviation.latents}, pixels ${deviation.pixels}`)
  })

test('in half precision, as on a GPU, the latents differ only slightly', async () => {
  const reference = findCase('sd15.safetensors DDIM/8')
  const target = { ...gpuTarget, precision: 'half' } as const
  await using opened = await openReferencePipeline(folder, reference, { threads: 1, target, signal })
  const { latents, pixels } = await replayCase(opened, reference, { signal })
  assert.ok(latents > 1e-5 && latents <= 5e-3 && pixels <= 2, `latents ${latents}, pixels ${pixels}`)
})

test('weights of the UNet leave memory before the VAE decodes', { skip: platform !== 'linux', timeout: 300_000 }, async () => {
  const weights = join(folder, 'xl.safetensors')
  await using opened = await openReferencePipeline(folder, findCase('xl.safetensors K_EULER/6'), { threads: 1, signal })
  const { pipeline } = opened
  const text = [{ text: 'a glossy red apple', weight: 1 }]
  const positive = { first: text, second: text }
  const prompts = await pipeline.base.encode({ positive, negative: null, clipSkip: 0, truncate: true }, { signal })
  const { scheduler } = pipeline
  const size = { width: 64, height: 64, guidanceScale: 0, guidanceRescale: 0 }
  const drawing = { ...size, sampler: 'K_EULER', scheduler, steps: 1, seed: 1, prompts, start: null, refining: null } as const
  const { latents, size: at } = await drawLatents(pipeline, drawing, { signal, onStep: async () => undefined })
  const inSteps = await residentBytes(weights)
  // What a process writes into a private mapping is lost with the page.
  assert.equal(await residentBytes(weights, 'Anonymous'), 0)
  await decodeLatents(pipeline, latents, at)
  const inDecoder = await residentBytes(weights)
  // The UNet has 16 MB, the VAE 3 MB.
  assert.ok(inSteps > 12e6 && inDecoder < 6e6, `${inSteps}, ${inDecoder}`)
})
