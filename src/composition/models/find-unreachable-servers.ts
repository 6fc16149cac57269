import { ServiceError } from '../../core/error.ts'
import { type ModelDescriptor, serversOf, type UpstreamAddress } from '../../core/model.ts'
import type { ModelLoader } from '../../core/ports/model-loader.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { FindRoute } from '../../outgoing/find-proxy.ts'
import { reasonOf } from '../../runtimes/upstream/server-watch.ts'
import { reachUpstreams, ServerHealth } from './reach-upstreams.ts'

const timeoutMs = 5000

/** A server that does not respond, with the reason. */
export interface UnreachableServer {
  readonly url: string
  readonly reason: string
}

/** Checks all servers of remote models in parallel, for at most five seconds. */
export async function findUnreachableServers(
  model: ModelDescriptor,
  { signal, findRoute }: { readonly signal: AbortSignal; readonly findRoute: FindRoute },
): Promise<readonly UnreachableServer[]> {
  const loader = reachUpstreams(nowhere, { health: new ServerHealth(), onServer: () => {}, traceparent: () => undefined, findRoute })
  const { upstream } = model
  if (upstream === undefined) return []
  const { replicas: _replicas, login: _login, ...shared } = upstream
  const away = await Promise.all(
    serversOf(upstream).map(async ({ url, login }) => {
      const alone = { ...shared, url, login }
      const reason = await findAbsence(
        loader,
        { model, upstream: alone },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) },
      )
      signal.throwIfAborted()
      return reason === null ? [] : [{ url, reason }]
    }),
  )
  return away.flat()
}

/** Why a server does not respond; null = it does. */
async function findAbsence(
  loader: ModelLoader,
  { model, upstream }: { readonly model: ModelDescriptor; readonly upstream: UpstreamAddress },
  options: Abortable,
): Promise<string | null> {
  try {
    await using _loaded =
      model.kind === 'text'
        ? await loader.loadText({ ...model, upstream }, options)
        : await loader.loadImage({ ...model, upstream }, options)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

const notElsewhere = async (): Promise<never> => {
  throw new ServiceError('internal_error', 'A model with an upstream runs on no server.')
}
const nowhere: ModelLoader = { loadText: notElsewhere, loadImage: notElsewhere }
