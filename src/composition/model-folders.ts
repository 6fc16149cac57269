import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { dataLayout } from './data-layout.ts'

const builtInFolder = fileURLToPath(new URL('../../models', import.meta.url))

/** Every folder that holds models, the built-in ones first. */
export function modelFolders({ models, dataFolder }: Pick<Config, 'models' | 'dataFolder'>): readonly string[] {
  const pulled = dataLayout(dataFolder).modelsFolder
  return [builtInFolder, ...models.folders, ...(existsSync(pulled) ? [pulled] : [])]
}
