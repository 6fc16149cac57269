import type { AssetDescriptor } from '../core/assets/asset.ts'
import { findNamedAsset } from '../core/assets/find-asset.ts'
import type { ModelDescriptor } from '../core/model.ts'
import type { ModelCatalog } from '../core/ports/model-catalog.ts'
import type { ClusterView } from './cluster-view.ts'

const noComputeNode =
  'cannot be run, because this node has the role api and no other node exists; start one on its database and bucket with --role worker or --role all'

/** The models and assets of this machine, if it computes, and of every node that is reachable or may soon be again. */
export function createClusterCatalog(view: Pick<ClusterView, 'offers'>, own: ModelCatalog | null): ModelCatalog {
  const list = (): readonly ModelDescriptor[] => {
    const models = new Map((own?.list() ?? []).map((model) => [model.id, model]))
    for (const { models: theirs } of view.offers()) for (const model of theirs) if (!models.has(model.id)) models.set(model.id, model)
    return [...models.values()]
  }
  const listAssets = (): readonly AssetDescriptor[] => {
    const assets = new Map((own?.listAssets() ?? []).map((asset) => [`${asset.kind} ${asset.name}`, asset]))
    for (const offer of view.offers())
      for (const asset of offer.assets) {
        const name = `${asset.kind} ${asset.name}`
        if (!assets.has(name)) assets.set(name, asset)
      }
    return [...assets.values()]
  }
  return {
    list,
    find: (modelId) => own?.find(modelId) ?? view.offers().flatMap((offer) => offer.models.filter(({ id }) => id === modelId))[0],
    defaultImageModel: (accepts = () => true) =>
      own?.defaultImageModel(accepts) ??
      list()
        .filter(({ hidden = false }) => !hidden)
        .filter((model) => model.kind === 'image')
        .find(accepts),
    listAssets,
    findAsset: (kind, name) => own?.findAsset(kind, name) ?? findNamedAsset(listAssets(), kind, name),
    findUnusable: (name) =>
      own === null && view.offers().length === 0 ? { name, file: name, reason: noComputeNode } : own?.findUnusable(name),
  }
}
