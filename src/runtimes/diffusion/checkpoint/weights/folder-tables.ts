import { basename } from 'node:path'
import { refuseStorage } from '../../../../core/checkpoint/stored-weights.ts'
import { unusableModel } from '../../onnx/model-file.ts'
import { renewVaeName } from '../names/vae-names.ts'
import { findWeightFiles } from './find-weight-files.ts'
import { readWeightFile } from './weight-file.ts'
import { type StoredWeight, WeightTable, withScales } from './weight-table.ts'

/** One network of a folder in diffusers' layout. @throws {ServiceError} `inference_failed` naming the file that does not fit. */
export async function readComponent(
  folder: string,
  component: string,
  { stems, rename = (name) => name }: { readonly stems: readonly string[]; readonly rename?: (name: string) => string },
): Promise<WeightTable> {
  const files = await Promise.all((await findWeightFiles(folder, component, stems)).map(readWeightFile))
  const weights = new Map<string, StoredWeight>()
  for (const file of files) {
    const reason = refuseStorage(file.tensors)
    if (reason !== null) throw unusableModel(`${component}/${file.name}`, reason)
    if (file.folder !== files[0]?.folder)
      throw unusableModel(`${component}/${file.name}`, 'is a link into another folder than its other shards')
    for (const [name, place] of file.tensors) {
      const known = rename(name)
      if (weights.has(known)) throw unusableModel(`${component}/${file.name}`, `repeats the tensor "${known}" of another shard`)
      weights.set(known, { ...place, file: file.name, transposed: false })
    }
  }
  const label = files.length === 1 ? `${component}/${basename(files[0]?.path ?? '')}` : `${component}/`
  return new WeightTable(files[0]?.folder ?? folder, label, withScales(weights))
}

/** A VAE of a folder; older ones name their attention otherwise. */
export function readVaeComponent(folder: string): Promise<WeightTable> {
  return readComponent(folder, 'vae', { stems: ['diffusion_pytorch_model'], rename: renewVaeName })
}
