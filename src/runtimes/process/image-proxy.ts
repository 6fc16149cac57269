import type { AssetDescriptor } from '../../core/assets/asset.ts'
import type { ImageRequest } from '../../core/image-generation.ts'
import type { FindAsset, FindUpscaler } from '../../core/ports/asset-files.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { somethingElse } from './engine-failure.ts'
import type { EngineProcess } from './engine-process.ts'

/** Finds the files named in requests. */
export interface FindFiles {
  readonly findAsset: FindAsset
  readonly findUpscaler: FindUpscaler
}

/** An image model that lives in an engine process; assets are looked up on the machine that draws, when it begins. */
export function createImageProxy(engine: EngineProcess, { findAsset, findUpscaler }: FindFiles): ImageModel {
  return {
    device: engine.facts.device,
    async generate(request, { signal, onProgress, assets = namedAssets(request, findAsset) }) {
      const name = request.highResolution?.upscaler ?? null
      const upscaler = name === null ? null : (findUpscaler(name) ?? null)
      using call = engine.call({ type: 'draw', request, assets, upscaler }, { signal, onProgress })
      const result = await call.result()
      if (typeof result === 'object' && 'images' in result) return result
      throw somethingElse('images')
    },
    async enlarge(request, { signal, onProgress }) {
      using call = engine.call({ type: 'enlarge', request }, { signal, onProgress })
      const result = await call.result()
      if (typeof result === 'object' && 'images' in result) return result
      throw somethingElse('images')
    },
  }
}

function namedAssets(
  { loras, textualInversions = [], controlnets = [], vae = null }: ImageRequest,
  findAsset: FindAsset,
): readonly AssetDescriptor[] {
  return [
    ...loras.map(({ name }) => findAsset('lora', name)),
    ...textualInversions.map(({ name }) => findAsset('textual-inversion', name)),
    ...controlnets.map(({ name }) => findAsset('controlnet', name)),
    ...(vae === null ? [] : [findAsset('vae', vae)]),
  ].filter((asset) => asset !== undefined)
}
