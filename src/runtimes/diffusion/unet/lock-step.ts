import type { Guidance, GuidedUnet, Predict } from './guided-unet.ts'

interface Waiting {
  readonly latents: Float32Array
  readonly when: readonly [timestep: number, share: number]
  readonly resolve: (prediction: Float32Array) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Lets several drawings with the same texts and steps go through a UNet together: each waits at its evaluation until all
 * that are still drawn have come to theirs, then one batch serves them.
 */
export class LockStep {
  readonly #unet: Pick<GuidedUnet, 'prepare' | 'prepareTogether'>
  #members: number
  #waiting: Waiting[] = []
  #predict: ((latents: readonly Float32Array[], when: readonly [number, number]) => Promise<readonly Float32Array[]>) | null = null

  /** @param members Drawings that will take part, each of which must {@link leave}. */
  constructor(unet: Pick<GuidedUnet, 'prepare' | 'prepareTogether'>, members: number) {
    this.#unet = unet
    this.#members = members
  }

  /** Makes a drawing's conditioning ready; it is the same for all members. */
  prepare(guidance: Guidance): Predict {
    // Drawings with their own additional inputs cannot share a batch.
    if (guidance.shown !== null || guidance.additions !== null) return this.#unet.prepare(guidance)
    this.#predict ??= this.#unet.prepareTogether(guidance, this.#members)
    return (latents, ...when) =>
      new Promise((resolve, reject) => {
        this.#waiting.push({ latents, when, resolve, reject })
        this.#runWhenComplete()
      })
  }

  /** Ends a member's part, finished or failed; the others go on. */
  leave(): void {
    this.#members--
    this.#runWhenComplete()
  }

  #runWhenComplete(): void {
    const [first] = this.#waiting
    if (first === undefined || this.#waiting.length < this.#members || this.#predict === null) return
    const together = this.#waiting
    this.#waiting = []
    this.#predict(
      together.map(({ latents }) => latents),
      first.when,
    ).then(
      (predictions) => {
        for (const [i, prediction] of predictions.entries()) together[i]?.resolve(prediction)
      },
      (reason) => {
        for (const { reject } of together) reject(reason)
      },
    )
  }
}
