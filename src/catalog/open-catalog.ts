import { CatalogError, type CatalogFault } from './catalog-fault.ts'
import { checkEntries } from './check-entries.ts'
import { findModelFolders } from './find-model-folders.ts'
import { PulledFolder } from './pulled-folder.ts'
import { nothingRead, readEntries } from './read-entries.ts'
import { FolderCatalog, type RefreshableCatalog } from './refreshable-catalog.ts'

/** Where models lie. */
export interface ModelFolders {
  /** Folders that are read once and must be there; the first holds the built-in models. */
  readonly folders: readonly string[]
  /** The folder whose models come and go, read again by each refresh; one that is not there is empty. */
  readonly pulledFolder?: string
}

/**
 * Reads every model folder inside the given folders.
 *
 * @throws {CatalogError} with every fault of every folder at once.
 */
export async function openCatalog({ folders, pulledFolder }: ModelFolders): Promise<RefreshableCatalog> {
  const pulled = pulledFolder === undefined ? null : new PulledFolder(pulledFolder, folders.length)
  const fixed = await readEntries(await findModelFolders(folders), { confined: false })
  const changing = (await pulled?.readIfChanged()) ?? nothingRead
  const faults: readonly CatalogFault[] = [...fixed.faults, ...changing.faults, ...checkEntries([fixed, changing])]
  if (faults.length > 0) throw new CatalogError(faults)
  return new FolderCatalog(fixed, changing, pulled)
}
