import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { detectSafetensorsKind, vaePrefix } from '../../../../core/checkpoint/safetensors-kind.ts'
import { ServiceError } from '../../../../core/error.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import { renewVaeName } from '../names/vae-names.ts'
import { namedTable, originalControlnet, originalVae } from '../weights/original-tables.ts'
import { readWeightFile, type WeightTable } from '../weights/weight-table.ts'
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

/** Reads a ControlNet's file. @throws {ServiceError} `unsupported` when it holds none. */
export async function readControlnet(path: string): Promise<WeightTable> {
  const file = await readWeightFile(path)
  const found = detectSafetensorsKind(file)
  if (found.kind !== 'controlnet') {
    const reason = found.kind === 'unknown' ? found.reason : `is a ${found.kind}, not a ControlNet`
    throw new ServiceError('unsupported', `${file.name} ${reason}.`, { param: 'controlnet' })
  }
  if (found.layout === 'diffusers') return namedTable(file, '')
  const isPrefixed = [...file.tensors.keys()].some((name) => name.startsWith('control_model.'))
  return originalControlnet(file, isPrefixed ? 'control_model.' : '')
}

/** Reads a VAE's file of either layout, or the VAE of a whole checkpoint. @throws {ServiceError} `unsupported` when it holds none. */
export async function readVae(path: string): Promise<WeightTable> {
  const file = await readWeightFile(path)
  const found = detectSafetensorsKind(file)
  if (found.kind === 'checkpoint') return originalVae(file, vaePrefix)
  if (found.kind !== 'vae') throw new ServiceError('unsupported', `${file.name} holds no VAE.`, { param: 'vae' })
  return found.layout === 'original' ? originalVae(file, found.prefix) : namedTable(file, found.prefix, renewVaeName)
}
