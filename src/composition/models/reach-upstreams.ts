import { isImageServer } from '../../core/images/image-servers.ts'
import { isTextServer } from '../../core/model.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import type { FindRoute } from '../../outgoing/proxy-routes.ts'
import { DrawingTurns } from '../../runtimes/upstream/images/drawing-turns.ts'
import { loadImageServer } from '../../runtimes/upstream/images/load-image-server.ts'
import { loadUpstreamModel } from '../../runtimes/upstream/load-upstream-model.ts'
import type { ServerChange } from '../../runtimes/upstream/server-watch.ts'
import type { ServerHealth } from './server-health.ts'

/**
 * A loader that connects to the models that run elsewhere and leaves the others to another loader.
 *
 * @param options.health What is known of their servers; noted there before `onServer` is told.
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
    /** Called once for each model whose servers do not count their tokens; absent = nobody is told. */
    readonly onUncounted?: (modelId: string) => void
    readonly traceparent: () => string | undefined
    readonly findRoute: FindRoute
  },
): ModelLoader {
  const turns = new DrawingTurns()
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
