import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import type { ImageRequest } from '../../../src/core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../src/core/model.ts'
import type { ImageModel } from '../../../src/core/ports/image-model.ts'
import { loadDiffusionModel } from '../../../src/runtimes/diffusion/load-diffusion-model.ts'
import { describeFakeImage } from '../../../src/runtimes/fake/fake-catalog.ts'
import { makeImageRequest } from '../image-request.ts'

export const tinyFolder = fileURLToPath(new URL('../../fixtures/golden/tiny-sdxl', import.meta.url))

/** The reference model in miniature (random weights, 64 × 64), described as a catalog would. */
const tinyDescriptor = describeFakeImage({ id: 'tiny', folder: tinyFolder, sizes: { type: 'range', min: 32, max: 128 } })

export const tinyRequest: ImageRequest = makeImageRequest('a red apple', { model: 'tiny', seeds: [7] })

export const idle = { signal: new AbortController().signal, onProgress: (): void => undefined }

export function loadTinyModel(change: Partial<ImageModelDescriptor> = {}): Promise<ImageModel & AsyncDisposable> {
  return loadDiffusionModel({ ...tinyDescriptor, ...change }, { threads: 1, signal: idle.signal })
}

/** The first picture's file. */
export async function drawFile(model: ImageModel, request: Partial<ImageRequest>): Promise<Buffer> {
  const { images } = await model.generate({ ...tinyRequest, prompt2: request.prompt ?? tinyRequest.prompt, ...request }, idle)
  return Buffer.from(images[0]?.bytes ?? [])
}

/** The colours of a picture, three bytes per pixel. */
export function readPixels(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).removeAlpha().raw().toBuffer()
}

/** A PNG of 64 × 64 pixels in one colour, with a smaller square in it. */
export function paintSquare(
  background: string,
  inner?: { readonly colour: string; readonly left: number; readonly side: number },
): Promise<Buffer> {
  const outer = sharp({ create: { width: 64, height: 64, channels: 3, background } })
  if (inner === undefined) return outer.png().toBuffer()
  const input = { create: { width: inner.side, height: inner.side, channels: 3 as const, background: inner.colour } }
  return outer
    .composite([{ input, left: inner.left, top: inner.left }])
    .png()
    .toBuffer()
}
