import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { overflowingDecoder } from '../../../../test/support/model-files/overflowing-decoder.ts'
import { idle, loadTinyModel, tinyFolder, tinyRequest } from '../../../../test/support/model-files/tiny-image-model.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import type { ImageModel } from '../../../core/ports/image-model.ts'
import { openOnnxSession, openUpcast } from '../onnx/onnx-session.ts'
import { UpcastingSession } from './upcasting-session.ts'
import { VaeDecoder } from './vae-decoder.ts'

const options = { threads: 1 }
const size = { channels: 4, width: 1, height: 1 }
const small = Float32Array.of(0.1, -0.2, 0.3, 0)
const large = Float32Array.of(0.5, -2, 3, 9)

/** The decoder of a folder with only that file; `upcast` opens it in single precision. */
async function decoderIn(folder: string, upcast = () => openUpcast(folder, 'model.onnx', options)) {
  await writeFile(join(folder, 'model.onnx'), overflowingDecoder())
  const session = await openOnnxSession(folder, 'model.onnx', options)
  const half = new UpcastingSession(session, upcast)
  let upcasts = 0
  const report = () => {
    upcasts += 1
  }
  const decoder = new VaeDecoder(half).reportingUpcasts(report)
  return {
    decode: async (latents: Float32Array) => [...(await decoder.decode(latents, size)).values],
    upcasts: () => upcasts,
    async [Symbol.asyncDispose]() {
      await half[Symbol.asyncDispose]()
      await session[Symbol.asyncDispose]()
    },
  }
}

test('a picture is the same before and after one that leaves the range of half precision', async () => {
  await using temporary = await createTemporaryFolder()
  await using decoder = await decoderIn(temporary.path)
  const before = await decoder.decode(small)
  assert.equal(decoder.upcasts(), 0)
  const overflowing = await decoder.decode(large)
  assert.deepEqual(
    [0, 64, 128].map((at) => overflowing[at]),
    [1, -4, 6],
  )
  assert.equal(decoder.upcasts(), 1)
  assert.deepEqual(await decoder.decode(small), before)
  assert.deepEqual(await decoder.decode(large), overflowing)
  assert.equal(decoder.upcasts(), 2)
})

test('pictures that overflow at once open single precision once, and a failure to open it is tried again', async () => {
  await using temporary = await createTemporaryFolder()
  const outOfMemory = new Error('out of memory')
  let opened = 0
  await using decoder = await decoderIn(temporary.path, async () => {
    if (opened++ === 0) throw outOfMemory
    return openUpcast(temporary.path, 'model.onnx', options)
  })
  await assert.rejects(decoder.decode(large), outOfMemory)
  const [one, other] = await Promise.all([decoder.decode(large), decoder.decode(large)])
  assert.deepEqual(one, other)
  assert.equal(opened, 2)
})

/** A model with another decoder, whose configuration says whether it overflows. */
async function withDecoder<Result>(decoder: Uint8Array, overflows: boolean, use: (model: ImageModel) => Promise<Result>): Promise<Result> {
  await using temporary = await createTemporaryFolder()
  const folder = join(temporary.path, 'overflowing')
  await cp(tinyFolder, folder, { recursive: true })
  await writeFile(join(folder, 'vae_decoder', 'model.onnx'), decoder)
  const config = join(folder, 'vae_decoder', 'config.json')
  await writeFile(config, JSON.stringify({ ...JSON.parse(await readFile(config, 'utf8')), force_upcast: overflows }))
  await using model = await loadTinyModel({ folder })
  return await use(model)
}

test('only the response of a request whose picture overflowed reports it', async () => {
  // The largest latent is 110 with little guidance, and at least 170 with much.
  const found = await withDecoder(overflowingDecoder(32_752 / 136), false, async (model) => {
    const warningsAt = async (guidanceScale: number) => (await model.generate({ ...tinyRequest, guidanceScale }, idle)).warnings
    return [await warningsAt(50), await warningsAt(1)]
  })
  assert.deepEqual(found, [["The model's VAE left the range of half precision, so it ran in single precision."], undefined])
})

test('a half-precision VAE whose configuration sets "force_upcast" runs in single precision at once', async () => {
  const { images, warnings } = await withDecoder(overflowingDecoder(), true, (model) => model.generate({ ...tinyRequest, steps: 1 }, idle))
  assert.deepEqual([images.length, warnings], [1, undefined])
})
