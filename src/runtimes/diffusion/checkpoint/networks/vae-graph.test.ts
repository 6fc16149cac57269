import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { TorchGenerator } from '../../noise/torch-generator.ts'
import { openWrittenGraph } from '../../onnx/onnx-session.ts'
import { type GraphTarget, gpuTarget, processorTarget } from '../graph/find-graph-target.ts'
import { openVae } from '../open-vae.ts'
import { readVae } from '../parts/read-checkpoint.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
await unpackGoldenCheckpoints(temporary.path, (path) => path === 'vae-xl.safetensors')
const weights = await readVae(join(temporary.path, 'vae-xl.safetensors'))

const open = (target: GraphTarget) =>
  openVae(weights, async ({ folder }, label, write) => {
    const session = await openWrittenGraph({ label, write: () => write(target), folder }, { threads: 1 })
    return { session, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() }
  })

function worst(ours: Float32Array, theirs: Float32Array): number {
  assert.equal(ours.length, theirs.length)
  return ours.reduce((most, value, i) => Math.max(most, Math.abs(value - (theirs[i] ?? Number.NaN))), 0)
}

test('an image decoded in bands equals the image decoded in one piece, including the seams', async () => {
  await using inBands = await open(processorTarget)
  await using whole = await open(gpuTarget)
  for (const [width, height] of [
    [1, 1],
    [13, 9],
    [16, 40],
  ] as const) {
    const latents = new TorchGenerator(1).normal(4 * width * height)
    const size = { channels: 4, width, height }
    const [banded, expected] = [await inBands.decoder.decode(latents, size), await whole.decoder.decode(latents, size)]
    assert.deepEqual([banded.width, banded.height], [width * 8, height * 8])
    assert.ok(worst(banded.values, expected.values) < 2e-5, `${width} × ${height}: ${worst(banded.values, expected.values)}`)
    assert.ok(inBands.encoder !== null && whole.encoder !== null)
    const [encoded, wanted] = [await inBands.encoder.encode(expected), await whole.encoder.encode(expected)]
    assert.ok(worst(encoded.values, wanted.values) < 2e-5, `${width} × ${height}: ${worst(encoded.values, wanted.values)}`)
  }
})
