import type { ModelServer } from '../../console/contract/models.ts'
import { type ModelDescriptor, serversOf } from '../../core/model.ts'

/** Whether the servers behind models answered when this node last asked them. */
export class ServerHealth {
  readonly #known = new Map<string, { readonly answers: boolean; readonly reason: string }>()

  /** Notes that a server began or ceased to answer. */
  changed({
    modelId,
    url,
    answers,
    reason,
  }: {
    readonly modelId: string
    readonly url: string
    readonly answers: boolean
    readonly reason: string
  }): void {
    this.#known.set(keyOf(modelId, url), { answers, reason })
  }

  /** Whether a server did not answer when it was last asked. */
  isAway(modelId: string, url: string): boolean {
    return this.#known.get(keyOf(modelId, url))?.answers === false
  }

  /** The servers that run a model, as far as is known of them; none where it runs here. */
  of({ id, upstream }: ModelDescriptor): readonly ModelServer[] {
    if (upstream === undefined) return []
    return serversOf(upstream).map(({ url }) => {
      const known = this.#known.get(keyOf(id, url))
      return { url, model: upstream.model, answers: known?.answers ?? null, reason: known?.answers === false ? known.reason : null }
    })
  }
}

function keyOf(modelId: string, url: string): string {
  return `${modelId}\n${url}`
}
