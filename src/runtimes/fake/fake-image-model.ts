import type { ImageRequest, ImageResult } from '../../core/image-generation.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { hash } from './fake-answer.ts'
import { actOnFault, findFault } from './prompt-marker.ts'
import { encodeSolidPng } from './solid-png.ts'

export interface FakeImageSettings {
  readonly clock: Clock
  /** Wait before each denoising step; default 0. */
  readonly stepDelayMs?: number
  /** Called for a prompt with `[crash]`: ends the model with all its requests. */
  readonly crash?: () => void
}

/** A grey JPEG of 8 × 8 pixels. */
const preview = Buffer.from(
  '/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fH' +
    'x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAIAAgDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAA' +
    'AAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AAA//2Q==',
  'base64',
)

/**
 * An image model without weights: PNG pictures of one colour, determined by prompt and seed, at the requested size.
 *
 * Markers in prompts control it: `[crash]`, `[hang]` and `[fail <error code>]`, each with an optional ` after <steps>`, make it fail.
 */
export function createFakeImageModel(settings: FakeImageSettings): ImageModel {
  return {
    async generate(request, { signal, onProgress }): Promise<ImageResult> {
      const startedAt = settings.clock.now()
      const fault = findFault(request.prompt)
      const total = request.steps * request.seeds.length
      for (let step = 0; step < total; step++) {
        await actOnFault(fault, step, { signal, crash: settings.crash })
        if (settings.stepDelayMs !== undefined) await settings.clock.wait(settings.stepDelayMs, { signal })
        signal.throwIfAborted()
        onProgress({ step: step + 1, total, ...(request.previews && { preview }) })
      }
      return { images: request.seeds.map((seed) => draw(request, seed)), computeMs: settings.clock.now() - startedAt }
    },
    async enlarge({ width, height }) {
      return { images: [draw({ prompt: 'enlarged', width, height }, 0)], computeMs: 0 }
    },
  }
}

function draw({ prompt, width, height }: Pick<ImageRequest, 'prompt' | 'width' | 'height'>, seed: number): ImageResult['images'][number] {
  const bytes = encodeSolidPng(width, height, hash(`${prompt} ${seed}`))
  return { bytes, encoding: 'png', width, height, seed, removedForSafety: false, safetyScore: null }
}
