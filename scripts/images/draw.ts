import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ImageProgress, ImageRequest } from '../../src/core/image-generation.ts'
import type { ImageModelDescriptor } from '../../src/core/model.ts'
import { loadDiffusionModel } from '../../src/runtimes/diffusion/load-diffusion-model.ts'

/** Width and height of a drawn picture, in pixels. */
export const side = 256
const models = fileURLToPath(new URL('../../models', import.meta.url))

const descriptor: ImageModelDescriptor = {
  kind: 'image',
  format: 'onnx-sdxl',
  id: 'sepia-mini-image',
  name: 'Sepia Mini Image',
  folder: join(models, 'sepia-mini-image'),
  license: 'Apache-2.0',
  bytes: 0,
  created: 0,
  native: { width: side, height: side },
  draws: 'native',
  sizes: { type: 'range', min: 64, max: 2048 },
  defaults: { steps: 20, guidanceScale: 5, sampler: 'DDIM' },
  refiner: null,
}

const plain: ImageRequest = {
  model: descriptor.id,
  prompt: 'a glossy tiger on a light blue background',
  prompt2: 'a glossy tiger on a light blue background',
  negative: null,
  width: side,
  height: side,
  steps: 20,
  guidanceScale: 5,
  guidanceRescale: 0,
  seeds: [0],
  sampler: 'DDIM',
  encoding: 'png',
  clipSkip: 0,
  stylePreset: null,
  loras: [],
  initial: null,
  mask: null,
  refinerStart: null,
  previews: false,
}

/** Draws with the built-in model. */
export type Draw = (change: Partial<ImageRequest>, onProgress?: (progress: ImageProgress) => void) => Promise<Uint8Array>

/**
 * Loads the built-in model; what is not named in a request is a tiger in 20 DDIM steps, guidance 5, seed 0.
 *
 * @param drawnSide Width and height in pixels that it draws at, whatever it was trained for: its times, not its pictures, are worth something there.
 */
export async function openBuiltIn(threads: number, drawnSide = side): Promise<AsyncDisposable & { readonly draw: Draw }> {
  const { signal } = new AbortController()
  const native = { width: drawnSide, height: drawnSide }
  const model = await loadDiffusionModel({ ...descriptor, native }, { threads, signal })
  return {
    draw: async (change, onProgress = () => undefined) => {
      const { images } = await model.generate(
        { ...plain, ...native, prompt2: change.prompt ?? plain.prompt, ...change },
        { signal, onProgress },
      )
      return images[0]?.bytes ?? new Uint8Array(0)
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}
