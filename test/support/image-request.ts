import type { ImageRequest } from '../../src/core/image-generation.ts'

/** An image request with every default filled in. */
export function makeImageRequest(prompt: string, overrides: Partial<ImageRequest> = {}): ImageRequest {
  return {
    model: 'fake-image',
    prompt,
    prompt2: prompt,
    negative: null,
    width: 64,
    height: 64,
    steps: 4,
    guidanceScale: 5,
    guidanceRescale: 0,
    seeds: [1],
    sampler: 'DDIM',
    encoding: 'png',
    clipSkip: 0,
    stylePreset: null,
    loras: [],
    initial: null,
    mask: null,
    refinerStart: null,
    previews: false,
    ...overrides,
  }
}
