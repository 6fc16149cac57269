import type { ClusterNode, NodeOffer } from '../core/cluster/node.ts'
import type { ModelDescriptor } from '../core/model.ts'

const kindWords = { text: 'a text model', image: 'an image model' } as const

/** The first of a node's models that another node has as one of another kind, so that requests for it could come to either; undefined = none. */
export function findKindConflict(
  own: readonly Pick<ModelDescriptor, 'id' | 'kind'>[],
  others: readonly { readonly node: Pick<ClusterNode, 'host' | 'url'>; readonly offer: Pick<NodeOffer, 'models'> }[],
): Error | undefined {
  const kinds = new Map(own.map(({ id, kind }) => [id, kind]))
  for (const { node, offer } of others)
    for (const { id, kind } of offer.models) {
      const here = kinds.get(id)
      if (here !== undefined && here !== kind)
        return new Error(
          `The model ${id} is ${kindWords[here]} here and ${kindWords[kind]} at the node ${node.host} (${node.url}); give one of them another id.`,
        )
    }
  return undefined
}
