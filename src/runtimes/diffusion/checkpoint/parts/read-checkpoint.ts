import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { unusableModel } from '../../onnx/model-file.ts'
import type { CheckpointParts } from './checkpoint-parts.ts'
import { readFolder } from './read-folder.ts'
import { readSingleFile } from './read-single-file.ts'

/**
 * Reads a checkpoint: a single file, or a folder in diffusers' layout.
 *
 * @throws {ServiceError} `inference_failed` naming the file or tensor that does not fit.
 */
export async function readCheckpoint(path: string): Promise<CheckpointParts> {
  const stats = await stat(path).catch((error: unknown) => {
    throw unusableModel(basename(path), 'is missing or cannot be read', error)
  })
  return stats.isDirectory() ? readFolder(path) : readSingleFile(path)
}
