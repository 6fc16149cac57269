import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { readStoredTensors, type StoredTensor, storedFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { openReferencePipeline } from '../../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../../../../../test/support/parity/reference-case.ts'
import { isWithinLimits, replayCase } from '../../../../../test/support/parity/replay-case.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { TorchGenerator } from '../../noise/torch-generator.ts'
import { openWrittenGraph } from '../../onnx/onnx-session.ts'
import { processorTarget } from '../graph/find-graph-target.ts'
import { openVae } from '../open-vae.ts'
import { readVae } from '../parts/read-checkpoint.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
await unpackGoldenCheckpoints(folder, (path) => /^vae-xl|^xl-diffusers|^cases/u.test(path))
const { signal } = new AbortController()

/** A number that the type can hold exactly, near another, and its bits. */
type Store = (value: number) => { readonly value: number; readonly bits: number }

const asFloat = new DataView(new ArrayBuffer(4))
const bfloat: Store = (value) => {
  asFloat.setFloat32(0, value)
  const bits = asFloat.getUint16(0)
  asFloat.setUint32(0, bits * 65_536)
  return { value: asFloat.getFloat32(0), bits }
}
const e4m3: Store = (value) => {
  const size = Math.min(Math.abs(value), 448)
  const sign = value < 0 ? 0x80 : 0
  const exponent = Math.max(Math.floor(Math.log2(size || 1e-9)), -6)
  // Rounding down keeps the exponent.
  const steps = Math.floor((size / 2 ** exponent) * 8)
  const bits = steps >= 8 ? (exponent + 7) * 8 + (steps - 8) : steps
  return { value: (sign ? -1 : 1) * (steps / 8) * 2 ** exponent, bits: sign | bits }
}

async function decodeWith(path: string): Promise<Float32Array> {
  const weights = await readVae(path)
  await using vae = await openVae(weights, async ({ folder: where }, label, write) => {
    const session = await openWrittenGraph({ label, write: () => write(processorTarget), folder: where }, { threads: 1 })
    return { session, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() }
  })
  return (await vae.decoder.decode(new TorchGenerator(1).normal(4 * 64), { channels: 4, width: 8, height: 8 })).values
}

for (const [dtype, store, bytes] of [
  ['BF16', bfloat, 2],
  ['F8_E4M3', e4m3, 1],
] as const) {
  test(`weights stored as ${dtype} are read as the numbers they hold`, async () => {
    const tensors = await readStoredTensors(join(folder, 'vae-xl.safetensors'))
    const numbers = tensors.map(({ bytes: stored }) => [...new Float16Array(new Uint8Array(stored).buffer)].map(store))
    const written = (type: string, width: number, write: (view: DataView, at: number, each: ReturnType<Store>) => void) =>
      storedFile(
        tensors.map((tensor, i) => {
          const view = new DataView(new ArrayBuffer((numbers[i]?.length ?? 0) * width))
          for (const [at, each] of (numbers[i] ?? []).entries()) write(view, at * width, each)
          return { ...tensor, dtype: type, bytes: new Uint8Array(view.buffer) }
        }),
      )
    const [small, plain] = [join(folder, `${dtype}.safetensors`), join(folder, `${dtype}-plain.safetensors`)]
    await writeFile(
      small,
      written(dtype, bytes, (view, at, { bits }) => (bytes === 2 ? view.setUint16(at, bits, true) : view.setUint8(at, bits))),
    )
    await writeFile(
      plain,
      written('F32', 4, (view, at, { value }) => view.setFloat32(at, value, true)),
    )
    const [ours, expected] = [await decodeWith(small), await decodeWith(plain)]
    assert.ok(expected.some((value) => Math.abs(value) > 0.01))
    const worst = ours.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? Number.NaN))), 0)
    assert.ok(worst < 1e-5, String(worst))
  })
}

for (const [spelled, perRow, where] of [
  ['scale_weight', false, 'ComfyUI'],
  ['weight_scale', true, 'vLLM'],
] as const) {
  test(`fp8 weights are multiplied by their scales, ${perRow ? 'one per row' : 'one for all'}, in the layout of ${where}`, async () => {
    const tensors = await readStoredTensors(join(folder, 'vae-xl.safetensors'))
    const float32 = (name: string, shape: readonly number[], values: Float32Array): StoredTensor => {
      return { name, shape, dtype: 'F32', bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) }
    }
    const [scaled, plain]: [StoredTensor[], StoredTensor[]] = [[], []]
    for (const tensor of tensors) {
      const { name, shape, bytes } = tensor
      const [rows = 1] = shape
      const values = [...new Float16Array(new Uint8Array(bytes).buffer)]
      if (!name.endsWith('.weight') || shape.length < 2) {
        scaled.push(tensor)
        plain.push(tensor)
        continue
      }
      const columns = values.length / rows
      const scales = Float32Array.from({ length: perRow ? rows : 1 }, (_, row) => 2 ** -5 * (1 + row / 7))
      const scaleOf = (at: number) => scales[perRow ? Math.floor(at / columns) : 0] ?? Number.NaN
      const stored = values.map((value, at) => e4m3(value / scaleOf(at)))
      const bits = Uint8Array.from(stored, (each) => each.bits)
      scaled.push({ ...tensor, dtype: 'F8_E4M3', bytes: bits })
      scaled.push(float32(name.replace(/weight$/, spelled), perRow ? [rows, 1] : [], scales))
      plain.push(
        float32(
          name,
          shape,
          Float32Array.from(stored, ({ value }, at) => value * scaleOf(at)),
        ),
      )
    }
    scaled.push({ name: 'scaled_fp8', shape: [2], dtype: 'F8_E4M3', bytes: new Uint8Array(2) })
    const [small, expanded] = [join(folder, `${spelled}.safetensors`), join(folder, `${spelled}-plain.safetensors`)]
    await writeFile(small, storedFile(scaled))
    await writeFile(expanded, storedFile(plain))
    assert.deepEqual(await decodeWith(small), await decodeWith(expanded))
  })
}

test('a network in shards produces the output of diffusers', async () => {
  const stem = join(folder, 'xl-diffusers', 'unet', 'diffusion_pytorch_model')
  const tensors = await readStoredTensors(`${stem}.safetensors`)
  const parts = [tensors.filter((_, i) => i % 2 === 0), tensors.filter((_, i) => i % 2 === 1)]
  const map: Record<string, string> = {}
  await mkdir(join(folder, 'xl-diffusers', 'unet'), { recursive: true })
  for (const [i, part] of parts.entries()) {
    const name = `diffusion_pytorch_model-0000${i + 1}-of-00002.safetensors`
    await writeFile(join(folder, 'xl-diffusers', 'unet', name), storedFile(part))
    for (const tensor of part) map[tensor.name] = name
  }
  await writeFile(`${stem}.safetensors.index.json`, JSON.stringify({ weight_map: map }))
  await rm(`${stem}.safetensors`)
  const { cases } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
  const reference = cases.find(({ model }) => model === 'xl-diffusers')
  assert.ok(reference)
  await using opened = await openReferencePipeline(folder, reference, { threads: 1, signal })
  const deviation = await replayCase(opened, reference, { signal })
  assert.ok(isWithinLimits(deviation), JSON.stringify(deviation))
})
