import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelSource } from './model-source.ts'

/** A model in a folder of this machine. */
export function createFolderSource(folder: string): ModelSource {
  return {
    readModelFile: ({ signal }) => readFile(join(folder, 'model.json'), { encoding: 'utf8', signal }),
    openFile: async (path, offset, { signal }) => ({
      offset,
      bytes: createReadStream(join(folder, path), { start: offset, highWaterMark: 1 << 20, signal }),
    }),
  }
}
