import { PulledFolder } from './pulled-folder.ts'
import { nothingRead } from './read-entries.ts'
import { FolderCatalog, type RefreshableCatalog } from './refreshable-catalog.ts'
import { SettledFolders } from './settled-folders.ts'

/** Where models lie. */
export interface ModelFolders {
  /** The folder of the models that come with the service; they are the last to be a default. */
  readonly builtIn?: string
  /** Folders that must be there at first, read again by a refresh when they have changed and are at rest. */
  readonly folders: readonly string[]
  /** The folder whose models come and go, read again by each refresh; one that is not there is empty. */
  readonly pulledFolder?: string
}

/**
 * Reads every model folder inside the given folders. Files and models with faults are left out and listed in the catalog's `faults`.
 *
 * @throws {CatalogError} when a given folder cannot be read.
 */
export async function openCatalog({ builtIn, folders: others, pulledFolder }: ModelFolders): Promise<RefreshableCatalog> {
  const folders = builtIn === undefined ? others : [builtIn, ...others]
  const pulled = pulledFolder === undefined ? null : new PulledFolder(pulledFolder, folders.length)
  const settled = new SettledFolders(folders)
  const fixed = await settled.open()
  const changing = (await pulled?.readIfChanged()) ?? nothingRead
  return new FolderCatalog({ fixed, pulled: changing }, { settled, pulled, builtInSource: builtIn === undefined ? null : 0 })
}
