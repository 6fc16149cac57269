import { isAbsolute, join } from 'node:path'
import type { ImageSizes, ModelDescriptor } from '../core/model.ts'
import { defaultSizes } from './image-sizes.ts'
import type { ModelFile } from './model-file.ts'

/** What the disk says about a model's folder. */
export interface FolderFacts {
  /** Absolute path. */
  readonly folder: string
  readonly bytes: number
  /** Unix seconds. */
  readonly created: number
}

/** Completes a checked `model.json` with every default and absolute paths. */
export function describeModel(modelFile: ModelFile, { folder, bytes, created }: FolderFacts): ModelDescriptor {
  const { id, name = id, license = null } = modelFile
  const base = { id, name, folder, license, bytes, created }
  if (modelFile.kind === 'text') {
    const { format, file, contextLength = null, embeddings = false, draft = null } = modelFile
    return { ...base, kind: 'text', format, file: join(folder, file), contextLength, embeddings, draft }
  }
  const { format, native, draws = 'requested', defaults = {}, refiner } = modelFile
  return {
    ...base,
    kind: 'image',
    format,
    native,
    draws,
    sizes: readSizes(modelFile.sizes) ?? defaultSizes({ native, draws }),
    defaults: { steps: defaults.steps ?? 30, guidanceScale: defaults.cfg_scale ?? 12, sampler: defaults.sampler ?? 'DDIM' },
    refiner: refiner === undefined ? null : isAbsolute(refiner) ? refiner : join(folder, refiner),
  }
}

function readSizes(sizes: (ModelFile & { kind: 'image' })['sizes']): ImageSizes | undefined {
  if (sizes === undefined) return undefined
  return 'min' in sizes ? { type: 'range', min: sizes.min, max: sizes.max } : { type: 'list', sizes }
}
