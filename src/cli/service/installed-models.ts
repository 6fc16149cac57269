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
