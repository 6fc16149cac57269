import type { UpscalerFacts } from '../model.ts'
import type { ModelCatalog } from '../ports/model-catalog.ts'

/** An upscaler with the name for requests. */
export interface NamedUpscaler {
  readonly id: string
  readonly upscaler: UpscalerFacts
}

/** The installed upscalers. */
export function listUpscalers(catalog: Pick<ModelCatalog, 'list'>): readonly NamedUpscaler[] {
  return catalog
    .list()
    .flatMap((model) => (model.kind === 'image' && model.upscaler !== undefined ? [{ id: model.id, upscaler: model.upscaler }] : []))
}
