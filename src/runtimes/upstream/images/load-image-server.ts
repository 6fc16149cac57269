import { defined } from '../../../core/defined.ts'
import { ServiceError } from '../../../core/error.ts'
import { isImageServer } from '../../../core/images/image-servers.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ImageModel } from '../../../core/ports/image-model.ts'
import type { LoadedModel } from '../../../core/ports/model-loader.ts'
import type { Turns } from '../../../core/turns.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { type ServerWatch, WatchedServer } from '../server-watch.ts'
import { UpstreamConnection, type UpstreamServer } from '../upstream-connection.ts'
import { isOutOfReach, makeBegunError } from '../upstream-error.ts'
import { connectA1111 } from './a1111.ts'
import { connectComfyUi } from './comfyui.ts'
import { connectOpenAiImages } from './openai-images.ts'
import { connectSdServer } from './sd-server.ts'
import { ServerCalls } from './server-calls.ts'
import { createServerModel, type ImageServer } from './server-drawing.ts'

export interface ImageServerOptions extends ServerWatch, Pick<UpstreamServer, 'traceparent' | 'findRoute'> {
  readonly signal: AbortSignal
  /** Shared by all models, since one server may have several. */
  readonly turns: Turns
  /** Milliseconds between two looks at a drawing. */
  readonly pollMs?: number
  /** Maximum duration of a cancellation call, in milliseconds. */
  readonly cancelTimeoutMs?: number
}

/**
 * Connects to the server that draws for a model. The model takes no local memory and never exits.
 *
 * @throws {ServiceError} `inference_failed` if the server does not answer.
 */
export async function loadImageServer(
  descriptor: ImageModelDescriptor,
  { signal, traceparent, findRoute, turns, pollMs, cancelTimeoutMs, ...watch }: ImageServerOptions,
): Promise<LoadedModel<ImageModel>> {
  const { id, upstream } = descriptor
  if (upstream === undefined) throw new ServiceError('internal_error', `The model ${id} has no server.`)
  using stack = new DisposableStack()
  // The time limit of a picture is enforced by its caller, however many calls it takes.
  const timeouts = upstream.timeouts && { timeouts: { ...upstream.timeouts, firstMs: null } }
  const way = defined({ traceparent, findRoute })
  const connection = stack.use(await UpstreamConnection.open({ ...upstream, ...timeouts, ...way }))
  const calls = new ServerCalls(connection, { pollMs, cancelTimeoutMs })
  const watched = new WatchedServer(upstream.url, watch)
  const server = await connect(descriptor, { connection, calls }, { signal }).catch((error: unknown) => {
    if (!signal.aborted) watched.missed(error)
    throw error
  })
  watched.answered()
  const kept = stack.move()
  return {
    model: watchServer(
      createServerModel(server, {
        firstMs: upstream.timeouts?.firstMs ?? null,
        // Its interruption and progress concern whatever it is drawing.
        ...(descriptor.format === 'a1111' && { takeTurn: (options) => turns.take(upstream.url, options) }),
      }),
      { watched, connection },
    ),
    slots: upstream.slots,
    exited: new Promise(() => {}),
    memoryBytes: () => 0,
    [Symbol.asyncDispose]: async () => kept.dispose(),
  }
}

/** Reports whether the server answers and, for a failure because it is gone, whether it had begun the work. */
function watchServer(
  model: ImageModel,
  { watched, connection }: { readonly watched: WatchedServer; readonly connection: UpstreamConnection },
): ImageModel {
  return {
    ...model,
    async generate(request, options) {
      const before = connection.bodiesTaken
      try {
        const drawn = await model.generate(request, options)
        watched.answered()
        return drawn
      } catch (error) {
        if (!isOutOfReach(error)) throw error
        watched.missed(error)
        throw connection.bodiesTaken === before ? error : makeBegunError(error)
      }
    },
  }
}

async function connect(
  { format, upstream, workflow, native, defaults }: ImageModelDescriptor,
  { connection, calls }: { readonly connection: UpstreamConnection; readonly calls: ServerCalls },
  options: Abortable,
): Promise<ImageServer> {
  switch (isImageServer(format) ? format : undefined) {
    case 'a1111':
      return connectA1111(calls, options)
    case 'sd-server':
      return connectSdServer(calls, options)
    case 'comfyui':
      if (workflow === undefined) throw new ServiceError('internal_error', 'A model of the format comfyui has no workflow.')
      return connectComfyUi({ calls, workflow, connection, native, defaults }, options)
    case 'openai-images':
      return connectOpenAiImages(calls, { model: upstream?.model ?? '', defaults }, options)
    case undefined:
      throw new ServiceError('internal_error', `${format} is not an image server format.`)
  }
}
