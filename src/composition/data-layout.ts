import { join } from 'node:path'

/** Paths in the data folder, all absolute. */
export interface DataLayout {
  readonly databaseFile: string
  readonly outputsFolder: string
  /** Measured memory of models. */
  readonly measuredMemoryFile: string
  /** Weights files uploaded by accounts. */
  readonly assetsFolder: string
  /** Encryption keys of the request log, unless a setting names another file. */
  readonly bodyKeysFile: string
  /** Models fetched by `sepia model pull`, one folder each. */
  readonly modelsFolder: string
}

/**
 * The paths in a data folder.
 *
 * @param dataFolder Absolute path.
 */
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
