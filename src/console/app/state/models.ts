import { signal } from '@preact/signals'
import type { PlacedPull } from '../../../core/model-pull.ts'
import type { ImageAsset, ImageAssetList } from '../../contract/image-assets.ts'
import type { CallOrigins, ConsoleImageModel, ConsoleModel, ConsoleTextModel, LeftOutFile, ModelList } from '../../contract/models.ts'
import { request } from '../interface/request.ts'
import { imageRoute } from '../interface/submit-image.ts'
import { answersInOrder } from './answers-in-order.ts'

/** The models of the service and their state; null before the first answer. */
export const models = signal<readonly ConsoleModel[] | null>(null)

/** Uploaded checkpoints that the person's drawings can name, besides the models of the service; null before the first answer. */
export const uploadedModels = signal<readonly ConsoleImageModel[] | null>(null)

/** LoRAs and other files of weights that the person's drawings can name. */
export const imageAssets = signal<readonly ImageAsset[]>([])

/** Models on their way to the data folder. */
export const pulls = signal<readonly PlacedPull[]>([])

/** Files among the models that are none; for owners. */
export const leftOutFiles = signal<readonly LeftOutFile[]>([])

/** Where the calls go that are shown as code. */
export const origins = signal<CallOrigins>({ imageUrl: null, textUrl: null })

const ask = answersInOrder()

/** Asks what is installed, in memory and on its way. */
export async function loadModels(abort?: AbortSignal): Promise<void> {
  const isNewest = ask()
  const answer = await request<ModelList>('/console/api/models', { signal: abort })
  if (!isNewest()) return
  models.value = answer.models
  leftOutFiles.value = answer.leftOut ?? []
  pulls.value = answer.pulls
  origins.value = answer.origins
}

/** Asks what drawings can name. */
export async function loadImageModels(abort?: AbortSignal): Promise<void> {
  const [, { checkpoints, assets }] = await Promise.all([
    loadModels(abort),
    request<ImageAssetList>('/console/api/image-assets', { signal: abort }),
  ])
  uploadedModels.value = checkpoints
  imageAssets.value = assets
}

/** The models that draw: those of the service, then uploaded ones. */
export function drawingModels(): readonly ConsoleImageModel[] {
  return [...modelsOf('image'), ...(uploadedModels.value ?? [])]
}

/** The networks that only enlarge pictures. */
export function upscalerIds(): readonly string[] {
  return (models.value ?? []).filter((model) => 'enlarges' in model).map(({ id }) => id)
}

/** The route that an image model's pictures are asked for at; an unknown model is reported there. */
export function imageRouteOf(modelId: string | undefined): string {
  const model = drawingModels().find(({ id }) => id === modelId)
  return imageRoute(model?.family ?? 'sdxl')
}

/** The known models of one kind, but those that only enlarge pictures; none before the first answer. */
export function modelsOf<Kind extends ConsoleModel['kind']>(kind: Kind): readonly Extract<ConsoleModel, { kind: Kind }>[] {
  return (models.value ?? []).filter(
    (model): model is Extract<ConsoleModel, { kind: Kind }> => model.kind === kind && !('enlarges' in model),
  )
}

/** The language models that one can talk to; encoders only make embeddings. */
export function chatModels(): readonly ConsoleTextModel[] {
  return modelsOf('text').filter(({ generates }) => generates)
}

/** Models to choose from; where two have one name, as two quantizations may, their ids tell them apart. */
export function modelChoices(known: readonly ConsoleModel[]): readonly { readonly value: string; readonly label: string }[] {
  return known.map(({ id, name }) => {
    const shared = known.some((other) => other.id !== id && other.name === name)
    return { value: id, label: shared ? `${name} (${id})` : name }
  })
}
