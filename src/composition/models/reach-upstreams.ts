import type { ModelServer } from '../../console/contract/models.ts'
import { isImageServer } from '../../core/images/image-servers.ts'
import { isTextServer, type ModelDescriptor, serversOf } from '../../core/model.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import { Turns } from '../../core/turns.ts'
import type { FindRoute } from '../../outgoing/find-proxy.ts'
import { loadImageServer } from '../../runtimes/upstream/images/load-image-server.ts'
import { loadUpstreamModel } from '../../runtimes/upstream/load-upstream-model.ts'
import type { ServerChange } from '../../runtimes/upstream/server-watch.ts'

/**
 * A loader that connects to remote models and passes others to another loader.
 *
 * @param options.health Updated before `onServer` is called.
 */
export function reachUpstreams(
  local: ModelLoader,
  {
    health,
    onServer,
    onUncounted,
    traceparent,
    findRoute,
  }: {
    readonly health: ServerHealth
    readonly onServer: (change: ServerChange & { readonly modelId: string }) => void
    /** Called once for each model whose servers send no token counts. */
    readonly onUncounted?: (modelId: string) => void
    readonly traceparent: () => string | undefined
    readonly findRoute: FindRoute
  },
): ModelLoader {
  // A server of this kind reports and cancels whichever picture it draws.
  const turns = new Turns(1)
  const uncounted = new Set<string>()
  const watching = (modelId: string) => ({
    isAway: (url: string): boolean => health.isAway(modelId, url),
    onChange: (change: ServerChange): void => {
      health.changed({ modelId, ...change })
      onServer({ modelId, ...change })
    },
    onUncounted: (): void => {
      if (!uncounted.has(modelId)) onUncounted?.(modelId)
      uncounted.add(modelId)
    },
  })
  return {
    loadText: (descriptor, options) =>
      isTextServer(descriptor.format)
        ? loadUpstreamModel(descriptor, { ...options, ...watching(descriptor.id), traceparent, findRoute })
        : local.loadText(descriptor, options),
    loadImage: (descriptor, options) =>
      isImageServer(descriptor.format)
        ? loadImageServer(descriptor, { ...options, ...watching(descriptor.id), traceparent, findRoute, turns })
        : local.loadImage(descriptor, options),
  }
}

/** Whether the servers of models responded when this node last contacted them. */
export class ServerHealth {
  readonly #known = new Map<string, { readonly answers: boolean; readonly reason: string }>()

  /** Records that a server stopped or started responding. */
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

  /** Whether a server did not respond last time. */
  isAway(modelId: string, url: string): boolean {
    return this.#known.get(keyOf(modelId, url))?.answers === false
  }

  /** The known servers of a model; empty for local ones. */
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
