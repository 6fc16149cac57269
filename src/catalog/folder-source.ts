import { createReadStream, existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelSource } from './model-source.ts'

/**
 * A model in a folder of this machine.
 *
 * `readModelFile` throws an error that says how sources are written where there is no `model.json`.
 */
export function createFolderSource(folder: string): ModelSource {
  return {
    readModelFile: async ({ signal }) => {
      try {
        return await readFile(join(folder, 'model.json'), { encoding: 'utf8', signal })
      } catch (error) {
        if (!isMissing(error)) throw error
        const hub = 'write hf:<owner>/<repository> for a model of the hub'
        if (!existsSync(folder)) throw new Error(`There is no file or folder ${folder}; ${hub}.`, { cause: error })
        throw new Error(`${folder} has no model.json; name a folder that has one, or ${hub}.`, { cause: error })
      }
    },
    openFile: async (path, offset, { signal }) => ({
      offset,
      bytes: createReadStream(join(folder, path), { start: offset, highWaterMark: 1 << 20, signal }),
    }),
  }
}

/** Whether there is no such file, or no folder where one was expected. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
