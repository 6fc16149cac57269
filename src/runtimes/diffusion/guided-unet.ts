import { linear } from './schedulers/linear.ts'
import type { Conditioning, LatentSize, Unet } from './unet.ts'

/** How the two predictions of guidance are made: in one batch of two, or one after the other. */
type Way = 'batched' | 'split'

/** Timed evaluations per way before one is chosen; the first of each also warms up. */
const trials = 2

/**
 * Classifier-free guidance over a UNet. Which way is faster depends on the model, the size and the processor, so the
 * first evaluations of each size are timed and the faster way is kept. Both give the same numbers.
 *
 * @see Ho and Salimans 2022, arXiv:2207.12598
 */
export class GuidedUnet {
  readonly #unet: Unet
  /** Milliseconds by latent size and way. */
  readonly #times = new Map<string, Readonly<Record<Way, readonly number[]>>>()

  constructor(unet: Unet) {
    this.#unet = unet
  }

  async predict(input: GuidedInput): Promise<Float32Array> {
    const { latents, size, timestep, positive, negative, guidanceScale } = input
    const run = (conditionings: readonly Conditioning[]): Promise<readonly Float32Array[]> =>
      this.#unet.predict(latents, size, timestep, conditionings, guidanceScale)
    if (negative === null) return (await run([positive]))[0] ?? latents
    const key = `${size.width}x${size.height}x${positive.tokens}`
    const way = this.#choose(key)
    const started = performance.now()
    const predictions = way === 'batched' ? await run([negative, positive]) : [...(await run([negative])), ...(await run([positive]))]
    this.#note(key, way, performance.now() - started)
    const [without = latents, withText = latents] = predictions
    return linear([1 - guidanceScale, without], [guidanceScale, withText])
  }

  #choose(key: string): Way {
    if (this.#unet.fixedBatch !== null) return this.#unet.fixedBatch === 1 ? 'split' : 'batched'
    const times = this.#times.get(key) ?? { batched: [], split: [] }
    if (times.batched.length < trials) return 'batched'
    if (times.split.length < trials) return 'split'
    return Math.min(...times.batched) <= Math.min(...times.split) ? 'batched' : 'split'
  }

  #note(key: string, way: Way, milliseconds: number): void {
    const times = this.#times.get(key) ?? { batched: [], split: [] }
    if (times[way].length < trials) this.#times.set(key, { ...times, [way]: [...times[way], milliseconds] })
  }
}

/** One evaluation with guidance. */
export interface GuidedInput {
  readonly latents: Float32Array
  readonly size: LatentSize
  readonly timestep: number
  readonly positive: Conditioning
  /** null = no guidance. */
  readonly negative: Conditioning | null
  readonly guidanceScale: number
}
