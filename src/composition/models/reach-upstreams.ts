import { isImageServer } from '../../core/images/image-servers.ts'
import { isTextServer } from '../../core/model.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import { DrawingTurns } from '../../runtimes/upstream/images/drawing-turns.ts'
import { loadImageServer } from '../../runtimes/upstream/images/load-image-server.ts'
import { loadUpstreamModel } from '../../runtimes/upstream/load-upstream-model.ts'

/** A loader that connects to the models that run elsewhere and leaves the others to another loader. */
export function reachUpstreams(
  local: ModelLoader,
  {
    onServer,
    traceparent,
  }: {
    readonly onServer: (change: {
      readonly modelId: string
      readonly url: string
      readonly answers: boolean
      readonly reason: string
    }) => void
    readonly traceparent: () => string | undefined
  },
): ModelLoader {
  const turns = new DrawingTurns()
  return {
    loadText: (descriptor, options) =>
      isTextServer(descriptor.format)
        ? loadUpstreamModel(descriptor, { ...options, traceparent, onChange: (change) => onServer({ modelId: descriptor.id, ...change }) })
        : local.loadText(descriptor, options),
    loadImage: (descriptor, options) =>
      isImageServer(descriptor.format)
        ? loadImageServer(descriptor, { ...options, traceparent, turns })
        : local.loadImage(descriptor, options),
  }
}
