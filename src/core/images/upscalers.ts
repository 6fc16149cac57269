import type { UpscalerFacts } from '../model.ts'
import type { ModelCatalog } from '../ports/model-catalog.ts'

/** A network that enlarges pictures, as requests name it. */
export interface NamedUpscaler {
  readonly id: string
  readonly upscaler: UpscalerFacts
}

/** The installed networks that enlarge pictures. */
export function listUpscalers(catalog: Pick<ModelCatalog, 'list'>): readonly NamedUpscaler[] {
  return catalog
    .list()
    .flatMap((model) => (model.kind === 'image' && model.upscaler !== undefined ? [{ id: model.id, upscaler: model.upscaler }] : []))
}
