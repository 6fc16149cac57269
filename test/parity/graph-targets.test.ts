import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gpuTarget } from '../../src/runtimes/diffusion/checkpoint/graph/find-graph-target.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { openReferencePipeline } from '../support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../support/parity/reference-case.ts'
import { replayCase } from '../support/parity/replay-case.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
const files = ['xl', 'sd15', 'lora-kohya', 'sd15-controlnet', 'cases'].flatMap((name) => [`${name}.safetensors`, `${name}.json`])
await unpackGoldenCheckpoints(folder, (path) => files.includes(path))
const { cases } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

for (const name of [
  'xl.safetensors K_EULER/6',
  'sd15.safetensors DDIM/8',
  'lora-kohya.safetensors weight 0.8',
  'sd15-controlnet.safetensors scale 1.0',
]) {
  const reference = cases.find((each) => each.name === name)
  assert.ok(reference, name)
  for (const { change, bounds } of [
    { change: {}, bounds: { latents: 1e-3, pixels: 1 } },
    { change: { attention: 'plain' }, bounds: { latents: 1e-3, pixels: 1 } },
    // Eleven bits a number, through every layer of every step.
    { change: { precision: 'half' }, bounds: { latents: 5e-3, pixels: 2 } },
    { change: { precision: 'half', attention: 'plain' }, bounds: { latents: 5e-3, pixels: 2 } },
  ] as const) {
    const target = { ...gpuTarget, ...change }
    test(`${name} for ${Object.values(target).join(', ')} stays within ${bounds.latents} of the latents' range`, async (context) => {
      await using opened = await openReferencePipeline(folder, reference, { threads: 1, target, signal })
      const { latents, pixels } = await replayCase(opened, reference, { signal })
      context.diagnostic(`latents ${latents.toExponential(2)}, pixels ${pixels}`)
      assert.ok(latents <= bounds.latents && pixels <= bounds.pixels, `latents ${latents}, pixels ${pixels}`)
      if (target.precision === 'half') assert.ok(latents > 1e-5, 'it computes in half precision')
    })
  }
}
