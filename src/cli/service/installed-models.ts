import { setTimeout } from 'node:timers/promises'
import { listeningOrigin } from '../../config/addresses.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { CommandContext } from '../command.ts'
import { printable } from '../printed-text.ts'
import { openProgressBar } from '../progress-bar.ts'
import type { ServiceClient } from './service-client.ts'

/** A model in GET /v1/models, reduced to the fields in use. */
export interface ShownModel {
  readonly id: string
  readonly kind: 'text' | 'image'
  readonly state: 'unloaded' | 'loading' | 'loaded' | 'backing-off'
  readonly capabilities: readonly string[]
  readonly device: { readonly backend: string; readonly name: string | null } | null
}

/** The models of a service. */
export async function fetchModels(service: ServiceClient, options: Abortable): Promise<readonly ShownModel[]> {
  const { data } = await service.fetchJson<{ readonly data: readonly ShownModel[] }>('/v1/models', options)
  return data
}

/**
 * The default model: a loaded one, else the first.
 *
 * @throws {Error} if no model is suitable.
 */
export async function chooseModel(service: ServiceClient, capability: 'chat' | 'images', options: Abortable): Promise<string> {
  const able = (await fetchModels(service, options)).filter(({ capabilities }) => capabilities.includes(capability))
  const chosen = able.find(({ state }) => state === 'loaded') ?? able[0]
  if (chosen === undefined)
    throw new Error(`${service.url} has no model for ${capability}; pull one on its machine with sepia model pull <source>.`)
  return chosen.id
}

/** Time for a running service to notice a pulled model. */
const noticeMs = 60_000

/**
 * The name of a model at the service; pulls a source into its data folder first if it is not installed.
 *
 * @throws {Error} if it is not installed at a service on another machine, or the service does not notice it.
 */
export async function ensureModel(context: CommandContext, service: ServiceClient, name: string): Promise<string> {
  const { backend, config, terminal, program, signal } = context
  const isInstalled = async (model: string) => (await fetchModels(service, { signal })).some(({ id }) => id === model)
  if (await isInstalled(name)) return name
  if (!isSource(name)) {
    // The list has no tags such as `qwen3:8b`, which the service resolves.
    const isResolved = await service.fetchJson(`/v1/models/${encodeURIComponent(name)}`, { signal }).then(
      () => true,
      () => false,
    )
    if (isResolved) return name
    terminal.err(`${printable(name)} is not in the list of models; to pull one, name its source: ${program} run hf:<owner>/<repository>\n`)
    // The service answers with the installed models and the nearest name, or uses its default model.
    return name
  }
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

/** Whether a text is a pull source rather than a name. */
function isSource(text: string): boolean {
  return /^(?:hf:|https?:\/\/|[./~])|\.(?:gguf|safetensors)$/i.test(text)
}
