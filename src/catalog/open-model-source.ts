import { createFolderSource } from './folder-source.ts'
import type { HubAccess } from './hub/hub-access.ts'
import { isHubSource, parseHubReference } from './hub/hub-reference.ts'
import { createHubSource } from './hub/hub-source.ts'
import type { ModelSource } from './model-source.ts'
import { createWebSource } from './web/web-source.ts'
import { createWeightFileSource, isWeightSource } from './weight-file-source.ts'

/**
 * The model of a name on the hub, at an http(s) address or in a folder; the last two may name the folder, the `model.json` in it, or a file of weights.
 *
 * @throws {Error} saying how a name of the hub is written, or that nothing outside is asked.
 */
export function openModelSource(source: string, hub: HubAccess): ModelSource {
  if (hub.offline === true && (isHubSource(source) || URL.canParse(source)))
    throw new Error(`${source} is not on this machine, and --offline allows only local paths; pull the path of its file or folder.`)
  if (isHubSource(source)) return createHubSource(hub, parseHubReference(source))
  if (isWeightSource(source)) return createWeightFileSource(source, hub)
  const place = source.replace(/\/?model\.json$/, '')
  return /^https?:\/\//.test(source) ? createWebSource(place, hub) : createFolderSource(place === '' ? '.' : place)
}
