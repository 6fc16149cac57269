import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelFolders } from '../../catalog/open-catalog.ts'
import type { Config } from '../../config/settings.ts'
import { dataLayout } from '../data-layout.ts'

const builtInFolder = fileURLToPath(new URL('../../../models', import.meta.url))

/** Every folder that holds models, the built-in ones first. */
export function modelFolders({ models, dataFolder }: Pick<Config, 'models' | 'dataFolder'>): ModelFolders {
  const { modelsFolder: pulledFolder } = dataLayout(dataFolder)
  return { ...(models.builtIn && { builtIn: builtInFolder }), folders: models.folders, pulledFolder }
}

/** The same as one list of absolute paths. */
export function allModelFolders(config: Pick<Config, 'models' | 'dataFolder'>): readonly string[] {
  const { builtIn, folders, pulledFolder } = modelFolders(config)
  return [builtIn, ...folders, pulledFolder].flatMap((folder) => (folder === undefined ? [] : [resolve(folder)]))
}
