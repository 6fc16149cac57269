import { isImageServer } from '../../core/images/image-servers.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import { loadImageServer } from '../../runtimes/upstream/images/load-image-server.ts'
import { loadUpstreamModel } from '../../runtimes/upstream/load-upstream-model.ts'

/** A loader that connects to the models that run elsewhere and leaves the others to another loader. */
export function reachUpstreams(local: ModelLoader): ModelLoader {
  return {
    loadText: (descriptor, options) =>
      descriptor.format === 'openai' ? loadUpstreamModel(descriptor, options) : local.loadText(descriptor, options),
    loadImage: (descriptor, options) =>
      isImageServer(descriptor.format) ? loadImageServer(descriptor, options) : local.loadImage(descriptor, options),
  }
}
