import type { ModelCatalog } from '../../../../core/ports/model-catalog.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { imageFaultCodes, refuseFaults } from '../../../faults/refuse-faults.ts'
import { findLoraAssetFaults, paceByLoras, resolveAssets } from '../image-assets.ts'
import { chooseImageModel } from '../image-request.ts'
import { findUnsupported } from '../unsupported-fields.ts'
import { openAiImageSchema, unsupportedImageOptions } from './image-options.ts'
import { type OpenAiImages, resolveImages } from './resolve-images.ts'

const checker = createBodyChecker(openAiImageSchema)

/**
 * Reads the body of POST /v1/images/generations.
 *
 * @param maxPixels Limit of one request, over all its pictures.
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseOpenAiImageRequest(catalog: ModelCatalog, received: unknown, maxPixels: number): OpenAiImages {
  const body = checker.parse(received, imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedImageOptions), imageFaultCodes)
  const { prompt, negative_prompt = '' } = body
  const assets = resolveAssets({ prompt, negative_prompt }, catalog)
  const { model, spacing } = paceByLoras(chooseImageModel(catalog, { field: 'model', name: body.model }), assets)
  refuseFaults(findLoraAssetFaults(assets, model, { catalog, field: 'prompt' }), imageFaultCodes)
  const images = resolveImages(body, { model, assets, picture: null, maxPixels })
  return { ...images, request: { ...images.request, ...spacing } }
}
