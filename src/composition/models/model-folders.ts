import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelFolders } from '../../catalog/open-catalog.ts'
import type { Config } from '../../config/config.ts'
import { dataLayout } from '../data-layout.ts'

const builtInFolder = fileURLToPath(new URL('../../../models', import.meta.url))

/** Every folder that holds models, the built-in ones first. */
export function modelFolders({ models, dataFolder }: Pick<Config, 'models' | 'dataFolder'>): ModelFolders {
  return { folders: [builtInFolder, ...models.folders], pulledFolder: dataLayout(dataFolder).modelsFolder }
}

/** The same as one list of absolute paths. */
export function allModelFolders(config: Pick<Config, 'models' | 'dataFolder'>): readonly string[] {
  const { folders, pulledFolder } = modelFolders(config)
  return [...folders, ...(pulledFolder === undefined ? [] : [pulledFolder])].map((folder) => resolve(folder))
}
