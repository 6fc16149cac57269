import type { FoundOnHub } from '../../core/model-pull.ts'
import type { Abortable } from '../../core/waiting.ts'
import { createHubFetch, explainRefusal, type HubAccess } from './hub-access.ts'

const maxFound = 20
/** Tags of supported models: those of llama.cpp and diffusers. */
const searched = [{ tags: ['gguf'] }, { tags: ['diffusers'], task: 'text-to-image' }] as const

/**
 * Searches for models that match all words, most downloaded first.
 *
 * @throws {Error} with the fix if the hub refuses.
 */
export async function searchHub(hub: HubAccess, words: string, { signal }: Abortable): Promise<readonly FoundOnHub[]> {
  const { HubApiError, listModels } = await import('@huggingface/hub')
  const found: FoundOnHub[] = []
  try {
    for (const { tags, ...kind } of searched) {
      const models = listModels({
        search: { query: words, tags: [...tags], ...kind },
        sort: 'downloads',
        limit: maxFound / searched.length,
        additionalFields: ['cardData'],
        hubUrl: hub.endpoint,
        fetch: createHubFetch(hub, signal),
        ...(hub.token !== null && { accessToken: hub.token }),
      })
      for await (const { name, downloads, gated, cardData } of models)
        found.push({
          source: `hf:${name}`,
          downloads,
          license: typeof cardData?.license === 'string' ? cardData.license : null,
          gated: gated !== false,
        })
    }
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof HubApiError ? explainRefusal(cause.statusCode, 'search', hub) : null
    throw reason === null ? cause : new Error(reason, { cause })
  }
  return found.toSorted((a, b) => b.downloads - a.downloads)
}
