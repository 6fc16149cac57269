import { setTimeout } from 'node:timers/promises'
import { listeningOrigin } from '../../config/addresses.ts'
import type { CommandContext } from '../command.ts'
import { openProgressBar } from '../progress-bar.ts'
import type { ServiceClient } from './service-client.ts'

/** A model as GET /v1/models shows it, as far as commands need it. */
export interface ShownModel {
  readonly id: string
  readonly kind: 'text' | 'image'
  readonly state: 'unloaded' | 'loading' | 'loaded' | 'backing-off'
  readonly capabilities: readonly string[]
  readonly device: { readonly backend: string; readonly name: string | null } | null
}

/** The models of a service. */
export async function fetchModels(service: ServiceClient, options: { readonly signal: AbortSignal }): Promise<readonly ShownModel[]> {
  const { data } = await service.fetchJson<{ readonly data: readonly ShownModel[] }>('/v1/models', options)
  return data
}

/**
 * The model to use where a person names none: one in memory if there is one, else the first.
 *
 * @throws {Error} when no model can do it.
 */
export async function chooseModel(
  service: ServiceClient,
  capability: 'chat' | 'images',
  options: { readonly signal: AbortSignal },
): Promise<string> {
  const able = (await fetchModels(service, options)).filter(({ capabilities }) => capabilities.includes(capability))
  const chosen = able.find(({ state }) => state === 'loaded') ?? able[0]
  if (chosen === undefined)
    throw new Error(`${service.url} has no model for ${capability}; fetch one on its machine with sepia model pull <source>.`)
  return chosen.id
}

/** How long a running service may take to notice a pulled model. */
const noticeMs = 60_000

/**
 * The name of a model at the service, pulled into its data folder first if a source is named that is not installed.
 *
 * @throws {Error} when it is not installed at a service of another machine, or the service does not notice it.
 */
export async function ensureModel(context: CommandContext, service: ServiceClient, name: string): Promise<string> {
  const { backend, config, terminal, signal } = context
  const isInstalled = async (model: string) => (await fetchModels(service, { signal })).some(({ id }) => id === model)
  // The service names what is installed, and the nearest name, where there is none of this name.
  if ((await isInstalled(name)) || !isSource(name)) return name
  if (service.url !== listeningOrigin(config.listen.host, config.listen.port))
    throw new Error(`${name} can only be pulled on the machine of ${service.url}; run sepia model pull ${name} there.`)
  const plan = await backend.planPull(config, name, { signal })
  if (await isInstalled(plan.id)) return plan.id
  using bar = openProgressBar({ terminal, now: Date.now }, 'Fetching', { bytes: true })
  const { id } = await backend.pullModel(config, name, { signal, onProgress: bar.report })
  for (const end = Date.now() + noticeMs; !(await isInstalled(id)); await setTimeout(500, undefined, { signal }))
    if (Date.now() > end)
      throw new Error(`${service.url} does not list ${id} yet, though it is in ${config.dataFolder}; see the log of the service.`)
  return id
}

/** Whether a text is a source of a pull rather than a name. */
function isSource(text: string): boolean {
  return /^(?:hf:|https?:\/\/|[./~])|\.(?:gguf|safetensors)$/i.test(text)
}
