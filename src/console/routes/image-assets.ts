import type { FastifyInstance } from 'fastify'
import { defined } from '../../core/defined.ts'
import { listModels } from '../../operations/list-models.ts'
import type { ConsoleDependencies } from '../console-dependencies.ts'
import type { ImageAssetList } from '../contract/image-assets.ts'
import { showModel } from '../show-model.ts'
import { personOf } from '../sign-in/signed-in.ts'

/** /console/api/image-assets: what the caller's drawings can use besides the installed models. */
export function registerImageAssets(own: FastifyInstance, deps: Pick<ConsoleDependencies, 'catalog' | 'catalogFor' | 'pool'>): void {
  own.get('/console/api/image-assets', async (request): Promise<ImageAssetList> => {
    const catalog = deps.catalogFor(personOf(request).id)
    const installed = new Set(deps.catalog.list().map(({ id }) => id))
    const models = listModels({ ...deps, catalog }).map((model) => showModel(model, null))
    return {
      checkpoints: models.filter((model) => model.kind === 'image').filter(({ id }) => !installed.has(id)),
      assets: catalog.listAssets().map(({ kind, name, family, families, embeds, width, textWidths }) => ({
        ...{ kind, name, family, label: name.slice(name.indexOf('/') + 1) },
        ...defined({ families, embeds, width, textWidths }),
      })),
    }
  })
}
