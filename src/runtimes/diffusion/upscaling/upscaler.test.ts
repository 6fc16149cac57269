import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type EsrganMake, esrganFile, esrganTensors } from '../../../../test/support/model-files/esrgan-file.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { TorchGenerator } from '../noise/torch-generator.ts'
import type { PixelPlanes } from '../vae/vae-decoder.ts'
import { openUpscaler } from './upscaler.ts'

const { signal } = new AbortController()

interface Map3 {
  readonly channels: number
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** A second, straightforward implementation of the network's forward pass. */
function reference(make: EsrganMake, picture: Map3): Map3 {
  const tensors = new Map(esrganTensors(make).map((tensor) => [tensor.name, tensor]))
  const convolve = (input: Map3, module: string): Map3 => {
    const weight = tensors.get(`${module}.weight`)
    const bias = tensors.get(`${module}.bias`)
    assert.ok(weight && bias)
    const channels = weight.shape[0] ?? 0
    const { width, height } = input
    const values = new Float32Array(channels * width * height)
    for (let c = 0; c < channels; c++)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          let sum = bias.values[c] ?? 0
          for (let from = 0; from < input.channels; from++)
            for (let dy = -1; dy <= 1; dy++)
              for (let dx = -1; dx <= 1; dx++) {
                if (y + dy < 0 || y + dy >= height || x + dx < 0 || x + dx >= width) continue
                const pixel = input.values[(from * height + y + dy) * width + x + dx] ?? 0
                sum += pixel * (weight.values[((c * input.channels + from) * 3 + dy + 1) * 3 + dx + 1] ?? 0)
              }
          values[(c * height + y) * width + x] = sum
        }
    return { channels, width, height, values }
  }
  const each = (input: Map3, change: (value: number, i: number) => number): Map3 => ({ ...input, values: input.values.map(change) })
  const leaky = (input: Map3): Map3 => each(input, (value) => (value < 0 ? 0.2 * value : value))
  const onto = (base: Map3, added: Map3, scale: number): Map3 => each(base, (value, i) => value + scale * (added.values[i] ?? 0))
  const doubled = ({ channels, width, height, values }: Map3): Map3 => ({
    channels,
    width: width * 2,
    height: height * 2,
    values: Float32Array.from({ length: channels * width * height * 4 }, (_, i) => {
      const [c, y, x] = [Math.floor(i / (4 * width * height)), Math.floor(i / (2 * width)) % (2 * height), i % (2 * width)]
      return values[(c * height + (y >> 1)) * width + (x >> 1)] ?? 0
    }),
  })
  const joined = (parts: readonly Map3[]): Map3 => {
    const [first] = parts
    assert.ok(first)
    const values = Float32Array.from(parts.flatMap((part) => [...part.values]))
    return { ...first, channels: parts.reduce((sum, { channels }) => sum + channels, 0), values }
  }
  const gathered = (input: Map3, side: number): Map3 => {
    const [width, height] = [input.width / side, input.height / side]
    const channels = input.channels * side * side
    const values = Float32Array.from({ length: channels * width * height }, (_, i) => {
      const [c, y, x] = [Math.floor(i / (width * height)), Math.floor(i / width) % height, i % width]
      const [colour, dy, dx] = [Math.floor(c / side ** 2), Math.floor(c / side) % side, c % side]
      return input.values[(colour * input.height + y * side + dy) * input.width + x * side + dx] ?? 0
    })
    return { channels, width, height, values }
  }
  const first = convolve(gathered(picture, make.gathered), 'conv_first')
  let trunk = first
  for (let block = 0; block < make.blocks; block++) {
    let hidden = trunk
    for (const dense of ['rdb1', 'rdb2', 'rdb3']) {
      const seen = [hidden]
      for (let i = 1; i <= 4; i++) seen.push(leaky(convolve(joined(seen), `body.${block}.${dense}.conv${i}`)))
      hidden = onto(hidden, convolve(joined(seen), `body.${block}.${dense}.conv5`), 0.2)
    }
    trunk = onto(trunk, hidden, 0.2)
  }
  let large = onto(first, convolve(trunk, 'conv_body'), 1)
  for (let i = 1; i <= make.doublings; i++) large = leaky(convolve(doubled(large), `conv_up${i}`))
  const last = convolve(leaky(convolve(large, 'conv_hr')), 'conv_last')
  return each(last, (value) => Math.min(Math.max(value, 0), 1) * 2 - 1)
}

function picture(width: number, height: number): PixelPlanes {
  const values = new TorchGenerator(3).normal(3 * width * height).map((value) => Math.tanh(value))
  return { width, height, values }
}

function worst(ours: Float32Array, theirs: Float32Array): number {
  assert.equal(ours.length, theirs.length)
  return ours.reduce((most, value, i) => Math.max(most, Math.abs(value - (theirs[i] ?? Number.NaN))), 0)
}

const makes: readonly EsrganMake[] = [
  { naming: 'new', prefix: 'params_ema.', blocks: 2, doublings: 2, gathered: 1 },
  { naming: 'old', prefix: '', blocks: 1, doublings: 2, gathered: 1 },
  { naming: 'old', prefix: '', blocks: 1, doublings: 1, gathered: 1 },
  { naming: 'new', prefix: '', blocks: 1, doublings: 2, gathered: 2 },
]

suite('an ESRGAN network', () => {
  for (const make of makes) {
    test(`${make.naming} names, ${2 ** make.doublings / make.gathered} ×: equals its forward pass`, async () => {
      await using folder = await createTemporaryFolder()
      const path = join(folder.path, 'upscaler.safetensors')
      await writeFile(path, esrganFile(make))
      await using upscaler = await openUpscaler(path, { threads: 1 })
      const small = picture(6, 8)
      const large = await upscaler.enlarge(small, { signal })
      assert.deepEqual([large.width, large.height], [6 * upscaler.scale, 8 * upscaler.scale])
      const expected = reference(make, { ...small, channels: 3, values: small.values.map((value) => (value + 1) / 2) })
      assert.ok(new Set(expected.values).size > 100, 'the image is not entirely black or white')
      assert.ok(worst(large.values, expected.values) < 1e-5, String(worst(large.values, expected.values)))
    })
  }

  test('an image enlarged in tiles equals the image enlarged in one piece, without seams', async () => {
    await using folder = await createTemporaryFolder()
    const path = join(folder.path, 'upscaler.safetensors')
    await writeFile(path, esrganFile({ naming: 'new', prefix: '', blocks: 1, doublings: 2, gathered: 1 }))
    await using upscaler = await openUpscaler(path, { threads: 1 })
    const small = picture(90, 50)
    const tiles: number[] = []
    const tiled = await upscaler.enlarge(small, { signal, tiling: { tile: 32, margin: 24 }, onTile: (done) => tiles.push(done) })
    assert.equal(tiles.length, 6)
    const whole = await upscaler.enlarge(small, { signal })
    assert.ok(worst(tiled.values, whole.values) < 1e-5, String(worst(tiled.values, whole.values)))
  })

  test('odd sizes lose no pixels with a network that unshuffles pixels', async () => {
    await using folder = await createTemporaryFolder()
    const path = join(folder.path, 'upscaler.safetensors')
    await writeFile(path, esrganFile({ naming: 'new', prefix: '', blocks: 1, doublings: 2, gathered: 2 }))
    await using upscaler = await openUpscaler(path, { threads: 1 })
    const large = await upscaler.enlarge(picture(7, 1), { signal })
    assert.deepEqual([large.width, large.height, large.values.length], [14, 2, 84])
  })
})
