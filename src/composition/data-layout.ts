import { join } from 'node:path'

/** What lies where in the data folder; all paths absolute. */
export interface DataLayout {
  readonly databaseFile: string
  readonly outputsFolder: string
  /** What models took when they were last in memory. */
  readonly measuredMemoryFile: string
  /** Files of weights that accounts uploaded. */
  readonly assetsFolder: string
  /** What the request log encrypts bodies with, unless a setting names another file. */
  readonly bodyKeysFile: string
  /** Models that `sepia model pull` fetched, one folder each. */
  readonly modelsFolder: string
}

/** Where things lie in a data folder, whose path is absolute. */
export function dataLayout(dataFolder: string): DataLayout {
  return {
    databaseFile: join(dataFolder, 'sepia.db'),
    outputsFolder: join(dataFolder, 'outputs'),
    measuredMemoryFile: join(dataFolder, 'measured-memory.json'),
    assetsFolder: join(dataFolder, 'assets'),
    bodyKeysFile: join(dataFolder, 'request-log.keys'),
    modelsFolder: join(dataFolder, 'models'),
  }
}
