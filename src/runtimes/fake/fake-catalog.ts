import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { ImageModelDescriptor, ModelDescriptor, TextModelDescriptor } from '../../core/model.ts'
import type { ModelCatalog } from '../../core/ports/model-catalog.ts'

/** Describes a text model that only the fake runtime can load. */
export function describeFakeText(overrides: Partial<TextModelDescriptor> = {}): TextModelDescriptor {
  return {
    kind: 'text',
    id: 'fake-chat',
    name: 'Fake Chat',
    folder: '/fake/chat',
    license: null,
    bytes: 1_000_000,
    created: 1_767_225_600,
    format: 'gguf',
    file: '/fake/chat/model.gguf',
    contextLength: 1024,
    embeddings: true,
    ranks: true,
    speculative: null,
    ...overrides,
  }
}

/** Describes an image model that only the fake runtime can load. */
export function describeFakeImage(overrides: Partial<ImageModelDescriptor> = {}): ImageModelDescriptor {
  return {
    kind: 'image',
    id: 'fake-image',
    name: 'Fake Image',
    folder: '/fake/image',
    license: null,
    bytes: 1_000_000,
    created: 1_767_225_600,
    format: 'onnx-sdxl',
    native: { width: 64, height: 64 },
    draws: 'requested',
    sizes: { type: 'range', min: 64, max: 2048 },
    defaults: { steps: 4, guidanceScale: 5, sampler: 'DDIM' },
    refiner: null,
    ...overrides,
  }
}

/** A catalog of exactly these models; by default one fake of each kind, `fake-chat` and `fake-image`. */
export function createFakeCatalog(
  models: readonly ModelDescriptor[] = [describeFakeText(), describeFakeImage()],
  assets: readonly AssetDescriptor[] = [],
): ModelCatalog {
  return {
    list: () => models,
    find: (modelId) => models.find((model) => model.id === modelId),
    defaultImageModel: (accepts = () => true) => models.filter((model) => model.kind === 'image').find(accepts),
    listAssets: () => assets,
    findAsset: (kind, name) => assets.find((asset) => asset.kind === kind && asset.name === name),
    findUnusable: () => undefined,
  }
}
