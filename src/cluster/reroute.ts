import type { ImageModel } from '../core/ports/image-model.ts'
import type { ModelLease } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { NodeLost } from './lease-wire.ts'

/** Maximum number of nodes to try after the first. */
export const maxReroutes = 2

/** A slot with the node it is on. */
export interface PlacedLease<Model> extends ModelLease<Model> {
  readonly node: string
}

/** Acquires a slot on a node that is not excluded. */
type Place<Model> = (excluded: Set<string>) => Promise<PlacedLease<Model>>

/** A lease that moves to another node if its own is lost before any part of a call has arrived. */
class MovingLease<Model> implements AsyncDisposable {
  readonly #place: Place<Model>
  readonly #excluded = new Set<string>()
  #lease: PlacedLease<Model>
  /** The current move, or a failed one, after which all calls fail. */
  #moving: Promise<void> | null = null
  #moves = 0
  #ended = false

  private constructor(place: Place<Model>, excluded: Set<string>, lease: PlacedLease<Model>) {
    this.#place = place
    this.#excluded = excluded
    this.#lease = lease
  }

  static async open<Model>(place: Place<Model>): Promise<MovingLease<Model>> {
    const excluded = new Set<string>()
    return new MovingLease(place, excluded, await place(excluded))
  }

  get model(): Model {
    return this.#lease.model
  }

  async ask<Result>(ask: (model: Model) => Promise<Result>, hasBegun: () => boolean = () => false): Promise<Result> {
    for (;;) {
      const lease = this.#lease
      try {
        return await ask(lease.model)
      } catch (error) {
        await this.#leave(lease, error, hasBegun())
      }
    }
  }

  async *stream<Part>(start: (model: Model) => AsyncIterable<Part>): AsyncGenerator<Part, void, undefined> {
    for (;;) {
      const lease = this.#lease
      let begun = false
      try {
        for await (const part of start(lease.model)) {
          begun = true
          yield part
        }
        return
      } catch (error) {
        await this.#leave(lease, error, begun)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true
    // A moving call releases the slot it gets.
    if (this.#moving === null) await this.#lease[Symbol.asyncDispose]()
    else await this.#moving.catch(() => {})
  }

  /** Replaces a lost slot by one on another node, for all its calls, or throws the final error. */
  async #leave(lost: PlacedLease<Model>, error: unknown, begun: boolean): Promise<void> {
    if (begun || !(error instanceof NodeLost)) throw error
    if (this.#lease !== lost) return
    if (this.#moving === null && ++this.#moves > maxReroutes) throw error
    this.#moving ??= this.#move(error)
    await this.#moving
  }

  async #move(error: NodeLost): Promise<void> {
    this.#excluded.add(this.#lease.node)
    await this.#lease[Symbol.asyncDispose]()
    const next = await this.#place(this.#excluded)
    if (this.#ended) {
      await next[Symbol.asyncDispose]()
      throw error
    }
    this.#lease = next
    this.#moving = null
  }
}

/** A text model on any node with a slot. */
export async function rerouteText(place: Place<TextModel>): Promise<ModelLease<TextModel>> {
  const lease = await MovingLease.open(place)
  const { contextLength, device, countPrompt, rank, tokenize, detokenize } = lease.model
  return {
    model: {
      contextLength,
      device,
      generate: (request, options) => lease.stream((model) => model.generate(request, options)),
      embed: (request, options) => lease.ask((model) => model.embed(request, options)),
      countPrompt: countPrompt && ((request, options) => lease.ask((model) => model.countPrompt?.(request, options) ?? lacking())),
      rank: rank && ((request, options) => lease.ask((model) => model.rank?.(request, options) ?? lacking())),
      tokenize: tokenize && ((request, options) => lease.ask((model) => model.tokenize?.(request, options) ?? lacking())),
      detokenize: detokenize && ((request, options) => lease.ask((model) => model.detokenize?.(request, options) ?? lacking())),
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

/** An image model on any node with a slot. */
export async function rerouteImage(place: Place<ImageModel>): Promise<ModelLease<ImageModel>> {
  const lease = await MovingLease.open(place)
  const { device, enlarge } = lease.model
  return {
    model: {
      device,
      async generate(request, options) {
        let begun = false
        // Steps start over if no preview was sent.
        const onProgress: typeof options.onProgress = (progress) => {
          begun ||= progress.preview !== undefined
          options.onProgress(progress)
        }
        return lease.ask(
          (model) => model.generate(request, { ...options, onProgress }),
          () => begun,
        )
      },
      enlarge: enlarge && ((request, options) => lease.ask((model) => model.enlarge?.(request, options) ?? lacking())),
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

function lacking(): Promise<never> {
  return Promise.reject(new Error('the node that took over cannot do what the lost one could'))
}
