import { unusableModel } from '../../onnx/model-file.ts'
import { prefixesOf, translator } from '../names/module-names.ts'
import { openClipModules, stackedProjections } from '../names/open-clip-names.ts'
import { controlnetModules, originalUnetLayout, unetModules } from '../names/unet-names.ts'
import { countVaeBlocks, vaeModules } from '../names/vae-names.ts'
import { partRows } from './parted-table.ts'
import { type StoredWeight, type WeightFile, WeightTable, withScales } from './weight-table.ts'

/** The tensors of a file under a prefix, without it. */
function under(file: WeightFile, prefix: string): ReadonlyMap<string, StoredWeight> {
  const found = new Map<string, StoredWeight>()
  for (const [name, place] of file.tensors)
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), { ...place, file: file.name, transposed: false })
  return withScales(found)
}

function renamed(
  { folder, name: label }: WeightFile,
  tensors: ReadonlyMap<string, StoredWeight>,
  rename: (name: string) => string | undefined,
  { strict }: { readonly strict: boolean } = { strict: false },
): WeightTable {
  const weights = new Map<string, StoredWeight>()
  for (const [name, weight] of tensors) {
    const known = rename(name)
    if (known !== undefined) weights.set(known, weight)
    else if (strict) throw unusableModel(label, `holds a tensor "${name}" that Sepia does not know`)
  }
  return new WeightTable(folder, label, weights)
}

/** A UNet in the original layout. */
export function originalUnet(file: WeightFile, prefix: string): WeightTable {
  const tensors = under(file, prefix)
  return renamed(file, tensors, translator(unetModules(originalUnetLayout(prefixesOf(tensors.keys()))), 'original'), { strict: true })
}

/** A ControlNet in the original layout. */
export function originalControlnet(file: WeightFile, prefix: string): WeightTable {
  const tensors = under(file, prefix)
  return renamed(file, tensors, translator(controlnetModules(originalUnetLayout(prefixesOf(tensors.keys()))), 'original'))
}

/** A VAE in the original layout. */
export function originalVae(file: WeightFile, prefix: string): WeightTable {
  const tensors = under(file, prefix)
  return renamed(file, tensors, translator(vaeModules(countVaeBlocks(prefixesOf(tensors.keys()))), 'original'))
}

/** Weights that go by diffusers' and transformers' names already. */
export function namedTable(file: WeightFile, prefix: string, rename: (name: string) => string | undefined = (name) => name): WeightTable {
  return renamed(file, under(file, prefix), rename)
}

/** An OpenCLIP text encoder: three projections are slices of one tensor, and the last projection is stored transposed. */
export function openClip(file: WeightFile, prefix: string): WeightTable {
  const tensors = under(file, prefix)
  const plain = new WeightTable(file.folder, file.name, tensors)
  const holds = prefixesOf(tensors.keys())
  let layers = 0
  while (holds(`transformer.resblocks.${layers}`)) layers++
  const rename = translator(openClipModules(layers), 'original')
  const weights = new Map<string, StoredWeight>()
  for (const [name, weight] of tensors) {
    const stacked = /^transformer\.resblocks\.(\d+)\.attn\.in_proj_(weight|bias)$/u.exec(name)
    if (stacked !== null) {
      const thirds = partRows(plain, name, [1, 1, 1])
      for (const [i, projection] of stackedProjections.entries())
        weights.set(`text_model.encoder.layers.${stacked[1]}.self_attn.${projection}.${stacked[2]}`, thirds[i] ?? weight)
      continue
    }
    const known = rename(name)
    if (known === undefined) continue
    const transposed = known === 'text_projection.weight'
    weights.set(known, transposed ? { ...weight, transposed } : weight)
  }
  return new WeightTable(file.folder, file.name, weights)
}
