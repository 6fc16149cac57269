import type { ImageModel } from '../core/ports/image-model.ts'
import type { ModelLease } from '../core/ports/model-pool.ts'
import type { TextModel } from '../core/ports/text-model.ts'
import { NodeLost } from './lease-wire.ts'

/** A slot somewhere; `node` is where. */
export interface PlacedLease<Model> extends ModelLease<Model> {
  readonly node: string
}

/** Gets a slot on a node that is not excluded. */
type Place<Model> = (excluded: Set<string>) => Promise<PlacedLease<Model>>

/** A lease that moves to another node when its own is lost, as long as nothing has come of a call yet. */
class MovingLease<Model> implements AsyncDisposable {
  readonly #place: Place<Model>
  readonly #excluded = new Set<string>()
  #lease: PlacedLease<Model>

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
      try {
        return await ask(this.model)
      } catch (error) {
        await this.#move(error, hasBegun())
      }
    }
  }

  async *stream<Part>(start: (model: Model) => AsyncIterable<Part>): AsyncGenerator<Part, void, undefined> {
    for (;;) {
      let begun = false
      try {
        for await (const part of start(this.model)) {
          begun = true
          yield part
        }
        return
      } catch (error) {
        await this.#move(error, begun)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]()
  }

  /** Moves to another node, or throws what cannot be helped. */
  async #move(error: unknown, begun: boolean): Promise<void> {
    if (begun || !(error instanceof NodeLost)) throw error
    this.#excluded.add(this.#lease.node)
    await this.#lease[Symbol.asyncDispose]()
    this.#lease = await this.#place(this.#excluded)
  }
}

/** A text model on whichever node has a slot. */
export async function rerouteText(place: Place<TextModel>): Promise<ModelLease<TextModel>> {
  const lease = await MovingLease.open(place)
  const { contextLength, device, countPrompt, rank, tokenize, detokenize } = lease.model
  return {
    model: {
      ...(contextLength === undefined ? {} : { contextLength }),
      ...(device === undefined ? {} : { device }),
      generate: (request, options) => lease.stream((model) => model.generate(request, options)),
      embed: (request, options) => lease.ask((model) => model.embed(request, options)),
      ...(countPrompt && { countPrompt: (request, options) => lease.ask((model) => model.countPrompt?.(request, options) ?? lacking()) }),
      ...(rank && { rank: (request, options) => lease.ask((model) => model.rank?.(request, options) ?? lacking()) }),
      ...(tokenize && { tokenize: (request, options) => lease.ask((model) => model.tokenize?.(request, options) ?? lacking()) }),
      ...(detokenize && { detokenize: (request, options) => lease.ask((model) => model.detokenize?.(request, options) ?? lacking()) }),
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

/** An image model on whichever node has a slot. */
export async function rerouteImage(place: Place<ImageModel>): Promise<ModelLease<ImageModel>> {
  const lease = await MovingLease.open(place)
  const { device } = lease.model
  return {
    model: {
      ...(device === undefined ? {} : { device }),
      async generate(request, options) {
        let begun = false
        const onProgress: typeof options.onProgress = (progress) => {
          begun = true
          options.onProgress(progress)
        }
        return lease.ask(
          (model) => model.generate(request, { ...options, onProgress }),
          () => begun,
        )
      },
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

function lacking(): Promise<never> {
  return Promise.reject(new Error('the node that took over cannot do what the lost one could'))
}
