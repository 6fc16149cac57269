import { createFolderSource } from './folder-source.ts'
import type { HubAccess } from './hub/hub-access.ts'
import { isHubSource, parseHubReference } from './hub/hub-reference.ts'
import { createHubSource } from './hub/hub-source.ts'
import type { ModelSource } from './model-source.ts'
import { createWebSource } from './web-source.ts'

/**
 * The model of a name on the hub, at an http(s) address or in a folder; the last two may name the folder or the `model.json` in it.
 *
 * @throws {Error} saying how a name of the hub is written.
 */
export function openModelSource(source: string, hub: HubAccess): ModelSource {
  if (isHubSource(source)) return createHubSource(hub, parseHubReference(source))
  const place = source.replace(/\/?model\.json$/, '')
  return /^https?:\/\//.test(source) ? createWebSource(place, hub) : createFolderSource(place === '' ? '.' : place)
}
